// RoBERTa as a graph of layers: BERT, but for its positions.
#include "engine/models/roberta.hpp"

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {

// The defaults are those of transformers' RobertaConfig.
LoadedModel load_roberta(JsonNode config, Tensors& tensors) {
  expect_plain_encoder(config);
  const Sizes sizes = read_sizes(config);
  const int64_t types = read_size(config, "type_vocab_size", 2);
  const int64_t pad = read_row(config, "pad_token_id", 1, sizes.positions - 1);
  tensors.choose_prefix({"", "roberta."}, "embeddings.word_embeddings.weight");
  Encoder roberta(sizes, read_activation(config, "hidden_act", "gelu"),
                  read_epsilon(config, "layer_norm_eps", 1e-12), tensors);

  // fairseq numbers positions from the padding id on: the first token has number pad + 1.
  Value x = roberta.sum({roberta.words(sizes.dim), roberta.types(types, sizes.dim),
                         roberta.counted_places(sizes.dim, pad)});
  x = roberta.norm(x, "embeddings.LayerNorm", sizes.dim);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("encoder.layer.", layer, ".");
    x = roberta.layer(x, roberta.take_layer(at), {}, at);
  }
  return roberta.finish(x, sizes.positions - pad - 1);
}

}  // namespace headway
