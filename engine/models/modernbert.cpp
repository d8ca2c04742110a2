// ModernBERT as a graph of layers: rotary positions, windows in most layers, gated feed-forward
// networks, a layer norm before each part rather than after it.
#include "engine/models/modernbert.hpp"

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {
namespace {

Bias bias_of(JsonNode config, const char* field) {
  return config.get_bool(field, false) ? Bias::present : Bias::absent;
}

// Whether each layer sees the whole text: every third, unless `layer_types` says which.
std::vector<bool> global_layers(JsonNode config, int64_t layers) {
  std::vector<bool> global;
  if (const auto types = find_value(config, "layer_types")) {
    for (const JsonNode type : types->elements()) {
      const std::string_view name = type.as_string();
      if (name != "full_attention" && name != "sliding_attention")
        type.refuse(
            cat("\"", name, "\" is not supported; known: full_attention, sliding_attention"),
            ErrorCode::unsupported);
      global.push_back(name == "full_attention");
    }
    if (static_cast<int64_t>(global.size()) != layers)
      types->refuse(cat("expected ", layers, " layers, found ", global.size()));
  } else {
    const int64_t every = read_size(config, "global_attn_every_n_layers", 3);
    for (int64_t layer = 0; layer < layers; ++layer) global.push_back(layer % every == 0);
  }
  return global;
}

// The base of the angles: `rope_parameters` since transformers 5, a field of its own before.
double rotary_base(JsonNode config, const char* type, const char* old_field, double otherwise) {
  expect_none(config, "rope_scaling");
  otherwise = read_positive(config, old_field, otherwise);
  const auto all = find_value(config, "rope_parameters");
  if (!all) return otherwise;
  const auto parameters = find_value(*all, type);
  if (!parameters) return otherwise;
  expect_value(*parameters, "rope_type", std::initializer_list<std::string_view>{"default"});
  return read_positive(*parameters, "rope_theta", otherwise);
}

}  // namespace

// The defaults are those of transformers' ModernBertConfig.
LoadedModel load_modernbert(JsonNode config, Tensors& tensors) {
  const Sizes sizes = read_sizes(config);
  const int64_t dim = sizes.dim, inner = sizes.inner;
  const Bias norm_bias = bias_of(config, "norm_bias");
  const Bias attention_bias = bias_of(config, "attention_bias");
  const Bias mlp_bias = bias_of(config, "mlp_bias");
  const std::vector<bool> global = global_layers(config, sizes.layers);
  const int64_t window = read_size(config, "local_attention", 128) / 2;  // on each side
  tensors.choose_prefix({"", "model."}, "embeddings.tok_embeddings.weight");
  Encoder bert(sizes, read_activation(config, "hidden_activation", "gelu"),
               read_epsilon(config, "norm_eps", 1e-5), tensors);

  const auto rotary = [&](double base) {
    return Rotary{.table = rotary_table(bert.graph(), bert.ids(),
                                        {.dims = rotary_dims(config, sizes), .base = base})};
  };
  MultiHeadOptions whole, local;
  whole.rotary = rotary(rotary_base(config, "full_attention", "global_rope_theta", 160000));
  local.rotary = rotary(rotary_base(config, "sliding_attention", "local_rope_theta", 10000));
  local.left_window = local.right_window = window;

  Value x = bert.words(dim, "embeddings.tok_embeddings.weight");
  x = bert.norm(x, "embeddings.norm", dim, norm_bias);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("layers.", layer, ".");
    // The first layer's input is normalized already.
    const Value in = layer == 0 ? x : bert.norm(x, at + "attn_norm", dim, norm_bias);
    const MultiHeadWeights attention{
        {tensors.take_linear(at + "attn.Wqkv", 3 * dim, dim, attention_bias)},
        tensors.take_linear(at + "attn.Wo", dim, dim, attention_bias)};
    const MultiHeadOptions& options = global[static_cast<size_t>(layer)] ? whole : local;
    x = bert.sum({bert.attend(in, attention, options, at + "attn"), x});
    const Value y = bert.gated_feed_forward(
        bert.norm(x, at + "mlp_norm", dim, norm_bias),
        {tensors.take_linear(at + "mlp.Wi", 2 * inner, dim, mlp_bias)},
        tensors.take_linear(at + "mlp.Wo", dim, inner, mlp_bias), at + "mlp.");
    x = bert.sum({y, x});
  }
  return bert.finish(bert.norm(x, "final_norm", dim, norm_bias), sizes.positions);
}

}  // namespace headway
