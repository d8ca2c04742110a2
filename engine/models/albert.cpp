// ALBERT as a graph of layers: BERT with narrow embeddings, whose layers share their weights.
#include "engine/models/albert.hpp"

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {
namespace {

constexpr LayerNames kNames = {.query = "attention.query",
                               .key = "attention.key",
                               .value = "attention.value",
                               .out = "attention.dense",
                               .attention_norm = "attention.LayerNorm",
                               .up = "ffn",
                               .down = "ffn_output",
                               .output_norm = "full_layer_layer_norm"};

}  // namespace

// The defaults are those of transformers' AlbertConfig.
LoadedModel load_albert(JsonNode config, Tensors& tensors) {
  expect_plain_encoder(config);
  const Sizes sizes = read_sizes(config);
  const int64_t types = read_size(config, "type_vocab_size", 2);
  const int64_t width = read_width(config, "embedding_size", 128);
  const int64_t groups = read_layers(config, "num_hidden_groups", 1);
  const int64_t repeats = read_layers(config, "inner_group_num", 1);
  if (sizes.layers * repeats > kMostLayers)
    config.at("inner_group_num").refuse(cat("expected at most ", kMostLayers, " layers in all"));
  tensors.choose_prefix({"", "albert."}, "embeddings.word_embeddings.weight");
  Encoder albert(sizes, read_activation(config, "hidden_act", "gelu_new"),
                 read_epsilon(config, "layer_norm_eps", 1e-12), tensors);

  // Embeddings in two factors (section 3.1).
  Value x = albert.sum({albert.words(width), albert.types(types, width), albert.places(width)});
  x = albert.norm(x, "embeddings.LayerNorm", width);
  x = albert.linear(x, "encoder.embedding_hidden_mapping_in", sizes.dim, width);

  // Each group of layers has weights of its own, which all its layers use.
  std::vector<std::vector<LayerWeights>> shared(static_cast<size_t>(groups));
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t inner = 0; inner < repeats; ++inner)
      shared[static_cast<size_t>(group)].push_back(albert.take_layer(
          cat("encoder.albert_layer_groups.", group, ".albert_layers.", inner, "."), kNames));
  const double layers_of_group = static_cast<double>(sizes.layers) / static_cast<double>(groups);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    // Rounded as in the reference.
    const auto group = static_cast<size_t>(static_cast<double>(layer) / layers_of_group);
    for (const LayerWeights& weights : shared[group])
      x = albert.layer(x, weights, {}, cat("layer ", layer, " "));
  }
  return albert.finish(x, sizes.positions);
}

}  // namespace headway
