// JinaBERT v2 as a graph of layers: BERT with a slope on attention instead of positions, and gated
// feed-forward networks.
#include "engine/models/jina_bert.hpp"

#include <bit>
#include <cmath>

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {
namespace {

// Slopes of ALiBi (Press et al., 2022): 2^(-8 h / n) for h = 1 ... n when n, the number of heads,
// is a power of two; else those of the next lower power, then every other one of the next higher.
std::vector<float> alibi_slopes(int64_t heads) {
  const auto lower = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<float> slopes;
  for (int64_t head = 0; head < heads; ++head) {
    const double power =
        head < lower ? static_cast<double>(head + 1) / static_cast<double>(lower)
                     : static_cast<double>(2 * (head - lower) + 1) / static_cast<double>(2 * lower);
    slopes.push_back(static_cast<float>(std::exp2(-8 * power)));
  }
  return slopes;
}

}  // namespace

LoadedModel load_jina_bert(JsonNode config, Tensors& tensors) {
  for (const char* field : {"is_decoder", "add_cross_attention"})
    expect_value(config, field, false);
  expect_value(config, "feed_forward_type", {"geglu", "reglu"});
  const Sizes sizes = read_sizes(config);
  const int64_t dim = sizes.dim, types = read_size(config, "type_vocab_size", 2);
  const bool relu = config.get_string("feed_forward_type", "geglu") == "reglu";
  tensors.choose_prefix({"", "bert."}, "embeddings.word_embeddings.weight");
  if (tensors.contains("encoder.layer.0.attention.self.layer_norm_q.weight"))
    fail(ErrorCode::unsupported, tensors.path(),
         ": tensor \"encoder.layer.0.attention.self.layer_norm_q.weight\": queries and keys that "
         "are normalized are not supported");
  Encoder bert(sizes, relu ? Activation::relu : Activation::gelu_erf,
               read_epsilon(config, "layer_norm_eps", 1e-12), tensors);

  const LayerNames names;
  MultiHeadOptions options;
  options.alibi_slopes = alibi_slopes(sizes.heads);
  Value x = bert.sum({bert.words(dim), bert.types(types, dim)});
  x = bert.norm(x, "embeddings.LayerNorm", dim);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("encoder.layer.", layer, ".");
    MultiHeadWeights attention;
    for (const char* part : {names.query, names.key, names.value})
      attention.qkv.push_back(tensors.take_linear(at + part, dim, dim));
    attention.out = tensors.take_linear(at + names.out, dim, dim);
    x = bert.sum({bert.attend(x, attention, options, at + "attention"), x});
    x = bert.norm(x, at + names.attention_norm, dim);
    const Value y = bert.gated_feed_forward(
        x, {tensors.take_linear(at + "mlp.gated_layers", 2 * sizes.inner, dim, Bias::absent)},
        tensors.take_linear(at + "mlp.wo", dim, sizes.inner), at + "mlp.");
    x = bert.norm(bert.sum({y, x}), at + "mlp.layernorm", dim);
  }
  return bert.finish(x, sizes.positions);
}

}  // namespace headway
