// ELECTRA as a graph of layers: BERT, whose embeddings may be narrower than the rest.
#include "engine/models/electra.hpp"

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {

// The defaults are those of transformers' ElectraConfig.
LoadedModel load_electra(JsonNode config, Tensors& tensors) {
  expect_plain_encoder(config);
  const Sizes sizes = read_sizes(config);
  const int64_t types = read_size(config, "type_vocab_size", 2);
  const int64_t width = read_width(config, "embedding_size", 128);
  tensors.choose_prefix({"", "electra."}, "embeddings.word_embeddings.weight");
  Encoder electra(sizes, read_activation(config, "hidden_act", "gelu"),
                  read_epsilon(config, "layer_norm_eps", 1e-12), tensors);

  Value x = electra.sum({electra.words(width), electra.types(types, width), electra.places(width)});
  x = electra.norm(x, "embeddings.LayerNorm", width);
  if (width != sizes.dim) x = electra.linear(x, "embeddings_project", sizes.dim, width);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("encoder.layer.", layer, ".");
    x = electra.layer(x, electra.take_layer(at), {}, at);
  }
  return electra.finish(x, sizes.positions);
}

}  // namespace headway
