// MPNet as a graph of layers: BERT with a bias on attention for how far apart two tokens are.
#include "engine/models/mpnet.hpp"

#include <bit>
#include <cstdlib>

#include "engine/base/convert.hpp"
#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {
namespace {

constexpr LayerNames kNames = {.query = "attention.attn.q",
                               .key = "attention.attn.k",
                               .value = "attention.attn.v",
                               .out = "attention.attn.o",
                               .attention_norm = "attention.LayerNorm"};

// What the reference has in its code.
constexpr int64_t kPad = 1, kBuckets = 32, kFarthest = 128;

// Buckets as T5 has them (Raffel et al., 2020): half of them for keys before the query and half for
// keys behind it; of each half, eight for the next distances and eight that widen with the
// logarithm up to 128: 8 + floor(8 log(n / 8) / log(16)), which is 8 + floor(log2(n^2 / 64)).
int64_t bucket(int64_t distance) {
  constexpr int64_t kHalf = kBuckets / 2, kExact = kHalf / 2;
  const auto n = static_cast<uint64_t>(std::abs(distance));
  const auto near = static_cast<int64_t>(n);
  const int64_t far = kExact + std::bit_width(n * n / 64) - 1;
  return (distance > 0 ? kHalf : 0) + (near < kExact ? near : std::min(far, kHalf - 1));
}

// Numbers that graphs keep alive.
struct Numbers : WeightSource {
  std::vector<float> values;
  void done_with(const void*, size_t) const override {}
};

// One number for each head and distance, [heads, 2 kFarthest + 1], from one for each bucket and
// head: all layers share it.
Weight relative_bias(const Weight& by_bucket, int64_t heads) {
  std::vector<float> table(static_cast<size_t>(kBuckets * heads));
  read_f32(by_bucket.view(), 0, kBuckets * heads, table.data());
  auto numbers = std::make_shared<Numbers>();
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t distance = -kFarthest; distance <= kFarthest; ++distance)
      numbers->values.push_back(table[static_cast<size_t>(bucket(distance) * heads + head)]);
  const TensorView view(numbers->values.data(), {heads, 2 * kFarthest + 1});
  return {view, by_bucket.name(), numbers};
}

}  // namespace

// The defaults are those of transformers' MPNetConfig.
LoadedModel load_mpnet(JsonNode config, Tensors& tensors) {
  expect_plain_encoder(config);
  expect_value(config, "relative_attention_num_buckets", double{kBuckets});
  const Sizes sizes = read_sizes(config);
  if (sizes.positions < kPad + 2)
    config.at("max_position_embeddings").refuse(cat("expected at least ", kPad + 2));
  tensors.choose_prefix({"", "mpnet."}, "embeddings.word_embeddings.weight");
  Encoder mpnet(sizes, read_activation(config, "hidden_act", "gelu"),
                read_epsilon(config, "layer_norm_eps", 1e-12), tensors);

  Value x = mpnet.sum({mpnet.words(sizes.dim), mpnet.counted_places(sizes.dim, kPad)});
  x = mpnet.norm(x, "embeddings.LayerNorm", sizes.dim);
  MultiHeadOptions options;
  options.relative_bias = relative_bias(
      tensors.take("encoder.relative_attention_bias.weight", {kBuckets, sizes.heads}), sizes.heads);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("encoder.layer.", layer, ".");
    x = mpnet.layer(x, mpnet.take_layer(at, kNames), options, at);
  }
  return mpnet.finish(x, sizes.positions - kPad - 1);
}

}  // namespace headway
