// BERT as a graph of layers.
#include "engine/models/bert.hpp"

#include "engine/base/message.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

// Far above any published model, and small enough that no product of two overflows.
constexpr int64_t kMostLayers = 1 << 12;
constexpr int64_t kMostWidth = 1 << 20;
constexpr int64_t kMostRows = int64_t{1} << 31;  // ids are 32 bits

struct BertConfig {
  int64_t vocab_size, hidden_size, layers, heads, intermediate_size, positions, types;
  Activation activation;
  float epsilon;
};

Activation activation_of(const Json& config) {
  const std::string_view name = config.root().get_string("hidden_act", "gelu");
  if (name == "gelu") return Activation::gelu_erf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::gelu_tanh;
  if (name == "relu") return Activation::relu;
  if (name == "tanh") return Activation::tanh;
  fail(ErrorCode::unsupported, config.name(), ": field \"hidden_act\": \"", name,
       "\" is not supported; known: gelu, gelu_new, gelu_pytorch_tanh, relu, tanh");
}

void refuse_variants(const Json& config) {
  const std::string_view positions =
      config.root().get_string("position_embedding_type", "absolute");
  if (positions != "absolute")
    fail(ErrorCode::unsupported, config.name(), ": field \"position_embedding_type\": \"",
         positions, "\" is not supported; known: absolute");
  for (const char* field : {"is_decoder", "add_cross_attention"})
    if (config.root().get_bool(field, false))
      fail(ErrorCode::unsupported, config.name(), ": field \"", field,
           "\": true is not supported: only encoders are");
}

// The fields, with the defaults of transformers' BertConfig where published files leave one out.
BertConfig read_config(const Json& json) {
  refuse_variants(json);
  const JsonNode config = json.root();
  BertConfig bert{
      .vocab_size = config.at("vocab_size").as_int64(1, kMostRows),
      .hidden_size = config.at("hidden_size").as_int64(1, kMostWidth),
      .layers = config.at("num_hidden_layers").as_int64(1, kMostLayers),
      .heads = config.at("num_attention_heads").as_int64(1, kMostWidth),
      .intermediate_size = config.at("intermediate_size").as_int64(1, kMostWidth),
      .positions = 512,
      .types = 2,
      .activation = activation_of(json),
      .epsilon = 1e-12f,
  };
  if (const auto field = config.find("max_position_embeddings"); field && !field->is_null())
    bert.positions = field->as_int64(1, kMostRows);
  if (const auto field = config.find("type_vocab_size"); field && !field->is_null())
    bert.types = field->as_int64(1, kMostRows);
  if (const auto field = config.find("layer_norm_eps"); field && !field->is_null()) {
    const double epsilon = field->as_double();
    if (!(epsilon > 0 && epsilon < 1)) field->refuse("expected a number between 0 and 1");
    bert.epsilon = static_cast<float>(epsilon);
  }
  if (bert.hidden_size % bert.heads != 0)
    fail(ErrorCode::format, json.name(), ": field \"hidden_size\" (", bert.hidden_size,
         ") is not a multiple of field \"num_attention_heads\" (", bert.heads, ")");
  return bert;
}

class BertBuilder {
 public:
  BertBuilder(const BertConfig& config, Tensors& tensors) : config_(config), tensors_(tensors) {}

  LoadedModel build() {
    LoadedModel model;
    graph_ = &model.graph;
    const Value ids = graph_->input("ids", DType::i32, 1);
    const Value type_ids = graph_->input("type_ids", DType::i32, 1, ids);
    model.words = table("word", config_.vocab_size);
    Value x = embeddings(ids, type_ids, model.words);
    for (int64_t layer = 0; layer < config_.layers; ++layer)
      x = encoder_layer(x, cat("encoder.layer.", layer, "."));
    graph_->output("hidden", x);
    model.hidden = x;
    model.attention = std::move(attention_);
    model.layers = config_.layers;
    model.dim = config_.hidden_size;
    model.heads = config_.heads;
    model.vocabulary = config_.vocab_size;
    model.positions = config_.positions;
    return model;
  }

 private:
  // A token is the sum of what it is, which sentence it is in, and where it stands (figure 2).
  Value embeddings(Value ids, Value type_ids, const Weight& word_table) {
    const Value words = embedding(*graph_, ids, word_table, "words");
    const Value types = embedding(*graph_, type_ids, table("token_type", config_.types), "types");
    const Value positions =
        position_embedding(*graph_, ids, table("position", config_.positions), "positions");
    const Value sum = add(*graph_, add(*graph_, words, types), positions);
    return norm(sum, "embeddings.LayerNorm");
  }

  // Self-attention, then a feed-forward network; a residual and a layer norm after each (section 3,
  // and Vaswani et al., 2017, figure 1).
  Value encoder_layer(Value x, const std::string& at) {
    const int64_t dim = config_.hidden_size, inner = config_.intermediate_size;
    MultiHeadWeights weights;
    for (const char* part : {"query", "key", "value"})
      weights.qkv.push_back(tensors_.take_linear(at + "attention.self." + part, dim, dim));
    weights.out = tensors_.take_linear(at + "attention.output.dense", dim, dim);
    MultiHeadOptions options;
    options.heads = config_.heads;
    const MultiHeadValues attended =
        multi_head(*graph_, x, std::move(weights), options, at + "attention");
    attention_.push_back(attended.weights);
    x = norm(add(*graph_, attended.output, x), at + "attention.output.LayerNorm");

    Value y = linear(*graph_, x, tensors_.take_linear(at + "intermediate.dense", inner, dim),
                     at + "intermediate.dense");
    y = activation(*graph_, y, config_.activation, at + "intermediate");
    y = linear(*graph_, y, tensors_.take_linear(at + "output.dense", dim, inner),
               at + "output.dense");
    return norm(add(*graph_, y, x), at + "output.LayerNorm");
  }

  Weight table(const std::string& kind, int64_t rows) {
    return tensors_.take("embeddings." + kind + "_embeddings.weight", {rows, config_.hidden_size});
  }

  // Files converted from the first TensorFlow release say gamma and beta.
  Value norm(Value x, const std::string& name) {
    const bool old = tensors_.contains(name + ".gamma");
    Weight gamma = tensors_.take(name + (old ? ".gamma" : ".weight"), {config_.hidden_size});
    Weight beta = tensors_.take(name + (old ? ".beta" : ".bias"), {config_.hidden_size});
    return layer_norm(*graph_, x, gamma, beta, config_.epsilon, name);
  }

  const BertConfig& config_;
  Tensors& tensors_;
  Graph* graph_ = nullptr;
  std::vector<Value> attention_;
};

}  // namespace

LoadedModel load_bert(const Json& config, Tensors& tensors) {
  const BertConfig bert = read_config(config);
  tensors.choose_prefix("", "bert.", "embeddings.word_embeddings.weight");
  return BertBuilder(bert, tensors).build();
}

}  // namespace headway
