// Nomic-BERT as a graph of layers: BERT with rotary positions and gated feed-forward networks.
#include "engine/models/nomic_bert.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"
#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {
namespace {

constexpr SizeFields kHubFields = {.dim = "n_embd",
                                   .layers = "n_layer",
                                   .heads = "n_head",
                                   .inner = "n_inner",
                                   .positions = "n_positions"};

struct NomicConfig {
  Sizes sizes;
  int64_t rotary_dims = 0;
  Activation activation = Activation::silu;
  float epsilon = 0;
  double rotary_base = 0;
  bool interleaved = false;
  Bias attention_bias = Bias::absent, up_bias = Bias::absent, down_bias = Bias::absent;
};

// transformers' NomicBertConfig and its defaults.
NomicConfig read_native(JsonNode config) {
  NomicConfig nomic{.sizes = read_sizes(config)};
  nomic.rotary_dims = rotary_dims(config, nomic.sizes);
  nomic.activation = read_activation(config, "hidden_act", "silu");
  nomic.epsilon = read_epsilon(config, "layer_norm_eps", 1e-12);
  nomic.rotary_base = 1000;
  expect_value(config, "head_dim", static_cast<double>(nomic.sizes.dim / nomic.sizes.heads));
  if (const auto rotary = find_value(config, "rope_parameters")) {
    expect_value(*rotary, "rope_type", std::initializer_list<std::string_view>{"default"});
    nomic.rotary_base = read_positive(*rotary, "rope_theta", 1000);
  }
  return nomic;
}

// The config of the code on the hub and its defaults.
NomicConfig read_hub(JsonNode config) {
  for (const char* field : {"prenorm", "parallel_block", "parallel_block_tied_norm", "use_rms_norm",
                            "causal", "rotary_head_dim"})
    expect_value(config, field, false);
  for (const char* field : {"num_experts", "moe_every_n_layers"}) expect_value(config, field, 0.0);
  for (const char* field : {"rotary_emb_scale_base", "num_heads_kv"}) expect_none(config, field);
  (void)config.at("rotary_emb_fraction");  // without it, positions are learned
  expect_value(config, "rotary_emb_fraction", 1.0);
  expect_value(config, "activation_function", {"swiglu", "geglu"});

  NomicConfig nomic{.sizes = read_sizes(config, kHubFields)};
  nomic.rotary_dims = rotary_dims(config, nomic.sizes, kHubFields);
  // Both are rounded up before the weights are made.
  const auto multiple = read_size(config, "pad_vocab_size_multiple", 1);
  nomic.sizes.vocabulary = checked_round_up(nomic.sizes.vocabulary, multiple, "vocab_size");
  nomic.sizes.inner = checked_round_up(nomic.sizes.inner, int64_t{256}, "n_inner");
  // Left out it is 1, which already turns longer texts by other angles.
  const auto scaling = config.find("rotary_scaling_factor");
  if (!scaling || !scaling->is_null())
    nomic.sizes.positions =
        std::min(nomic.sizes.positions, read_size(config, "max_trained_positions", 2048));
  const bool swiglu = config.at("activation_function").as_string() == "swiglu";
  nomic.activation = swiglu ? Activation::silu : Activation::gelu_erf;
  nomic.epsilon = read_epsilon(config, "layer_norm_epsilon", 1e-5);
  nomic.rotary_base = read_positive(config, "rotary_emb_base", 1000);
  nomic.interleaved = config.get_bool("rotary_emb_interleaved", false);
  const auto bias = [&](const char* field) {
    return config.get_bool(field, true) ? Bias::present : Bias::absent;
  };
  nomic.attention_bias = bias("qkv_proj_bias");
  nomic.up_bias = bias("mlp_fc1_bias");
  nomic.down_bias = bias("mlp_fc2_bias");
  return nomic;
}

}  // namespace

LoadedModel load_nomic_bert(JsonNode config, Tensors& tensors) {
  const NomicConfig nomic = config.contains("n_embd") ? read_hub(config) : read_native(config);
  const int64_t dim = nomic.sizes.dim, inner = nomic.sizes.inner;
  const int64_t types = read_size(config, "type_vocab_size", 2);
  tensors.choose_prefix({"", "bert.", "nomic_bert."}, "embeddings.word_embeddings.weight");
  Encoder bert(nomic.sizes, nomic.activation, nomic.epsilon, tensors);

  MultiHeadOptions options;
  options.rotary =
      Rotary{.table = rotary_table(bert.graph(), bert.ids(),
                                   {.dims = nomic.rotary_dims, .base = nomic.rotary_base}),
             .interleaved = nomic.interleaved};
  Value x = bert.sum({bert.words(dim), bert.types(types, dim)});
  x = bert.norm(x, "emb_ln", dim);
  for (int64_t layer = 0; layer < nomic.sizes.layers; ++layer) {
    const std::string at = cat("encoder.layers.", layer, ".");
    const MultiHeadWeights attention{
        {tensors.take_linear(at + "attn.Wqkv", 3 * dim, dim, nomic.attention_bias)},
        tensors.take_linear(at + "attn.out_proj", dim, dim, nomic.attention_bias)};
    x = bert.sum({bert.attend(x, attention, options, at + "attn"), x});
    x = bert.norm(x, at + "norm1", dim);
    const Value y = bert.gated_feed_forward(
        x,
        {tensors.take_linear(at + "mlp.fc12", inner, dim, nomic.up_bias),
         tensors.take_linear(at + "mlp.fc11", inner, dim, nomic.up_bias)},
        tensors.take_linear(at + "mlp.fc2", dim, inner, nomic.down_bias), at + "mlp.");
    x = bert.norm(bert.sum({y, x}), at + "norm2", dim);
  }
  return bert.finish(x, nomic.sizes.positions);
}

}  // namespace headway
