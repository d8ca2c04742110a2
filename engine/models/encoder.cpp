// Embeddings and layers by the names of their tensors.
#include "engine/models/encoder.hpp"

#include <utility>

namespace headway {

Encoder::Encoder(const Sizes& sizes, Activation activation, float epsilon, Tensors& tensors)
    : sizes_(sizes), activation_(activation), epsilon_(epsilon), tensors_(tensors) {
  ids_ = graph().input("ids", DType::i32, 1);
  type_ids_ = graph().input("type_ids", DType::i32, 1, ids_);
}

Value Encoder::words(int64_t width, const std::string& name) {
  model_.words = tensors_.take(name, {sizes_.vocabulary, width});
  return embedding(graph(), ids_, model_.words, "words");
}

Value Encoder::types(int64_t types, int64_t width) {
  return embedding(graph(), type_ids_,
                   tensors_.take("embeddings.token_type_embeddings.weight", {types, width}),
                   "types");
}

Value Encoder::places(int64_t width) {
  return position_embedding(
      graph(), ids_,
      tensors_.take("embeddings.position_embeddings.weight", {sizes_.positions, width}),
      "positions");
}

Value Encoder::counted_places(int64_t width, int64_t pad) {
  return position_embedding(
      graph(), ids_,
      tensors_.take("embeddings.position_embeddings.weight", {sizes_.positions, width}), pad,
      "positions");
}

Value Encoder::sum(std::initializer_list<Value> terms) {
  Value sum = *terms.begin();
  for (const Value* term = terms.begin() + 1; term != terms.end(); ++term)
    sum = add(graph(), sum, *term);
  return sum;
}

Value Encoder::norm(Value x, const std::string& name, int64_t width, Bias bias) {
  return norm(x, tensors_.take_norm(name, width, bias), name);
}

Value Encoder::norm(Value x, const NormWeights& weights, const std::string& name) {
  return layer_norm(graph(), x, weights.gamma, weights.beta, epsilon_, name);
}

Value Encoder::linear(Value x, const std::string& name, int64_t out, int64_t in, Bias bias) {
  return headway::linear(graph(), x, tensors_.take_linear(name, out, in, bias), name);
}

Value Encoder::attend(Value x, const MultiHeadWeights& weights, MultiHeadOptions options,
                      const std::string& name) {
  options.heads = sizes_.heads;
  const MultiHeadValues values = multi_head(graph(), x, weights, options, name);
  model_.attention.push_back(values.weights);
  return values.output;
}

Value Encoder::gated_feed_forward(Value x, std::vector<LinearWeights> up, const LinearWeights& down,
                                  const std::string& at) {
  const Value both = headway::linear(graph(), x, std::move(up), at + "up");
  const Value gated = gate(graph(), both, activation_, at + "gate");
  return headway::linear(graph(), gated, down, at + "down");
}

LayerWeights Encoder::take_layer(const std::string& at, const LayerNames& names) {
  LayerWeights weights;
  for (const char* part : {names.query, names.key, names.value})
    weights.attention.qkv.push_back(tensors_.take_linear(at + part, sizes_.dim, sizes_.dim));
  weights.attention.out = tensors_.take_linear(at + names.out, sizes_.dim, sizes_.dim);
  weights.attention_norm = tensors_.take_norm(at + names.attention_norm, sizes_.dim);
  weights.up = tensors_.take_linear(at + names.up, sizes_.inner, sizes_.dim);
  weights.down = tensors_.take_linear(at + names.down, sizes_.dim, sizes_.inner);
  weights.output_norm = tensors_.take_norm(at + names.output_norm, sizes_.dim);
  return weights;
}

Value Encoder::layer(Value x, const LayerWeights& weights, const MultiHeadOptions& options,
                     const std::string& at) {
  const Value attended = attend(x, weights.attention, options, at + "attention");
  x = norm(add(graph(), attended, x), weights.attention_norm, at + "attention norm");
  Value y = headway::linear(graph(), x, weights.up, at + "up");
  y = activation(graph(), y, activation_, at + "activation");
  y = headway::linear(graph(), y, weights.down, at + "down");
  return norm(add(graph(), y, x), weights.output_norm, at + "output norm");
}

LoadedModel Encoder::finish(Value hidden, int64_t positions) {
  graph().output("hidden", hidden);
  model_.hidden = hidden;
  model_.layers = static_cast<int64_t>(model_.attention.size());
  model_.dim = sizes_.dim;
  model_.heads = sizes_.heads;
  model_.vocabulary = sizes_.vocabulary;
  model_.positions = positions;
  return std::move(model_);
}

}  // namespace headway
