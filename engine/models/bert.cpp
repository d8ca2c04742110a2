// BERT as a graph of layers.
#include "engine/models/bert.hpp"

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"
#include "engine/models/jina_bert.hpp"

namespace headway {

// The defaults are those of transformers' BertConfig, for fields that published files leave out.
LoadedModel load_bert(JsonNode config, Tensors& tensors) {
  if (config.get_string("position_embedding_type", "") == "alibi")
    return load_jina_bert(config, tensors);
  expect_plain_encoder(config);
  const Sizes sizes = read_sizes(config);
  const int64_t types = read_size(config, "type_vocab_size", 2);
  tensors.choose_prefix({"", "bert."}, "embeddings.word_embeddings.weight");
  Encoder bert(sizes, read_activation(config, "hidden_act", "gelu"),
               read_epsilon(config, "layer_norm_eps", 1e-12), tensors);

  // A token is the sum of what it is, which sentence it is in, and where it stands (figure 2).
  Value x = bert.sum({bert.words(sizes.dim), bert.types(types, sizes.dim), bert.places(sizes.dim)});
  x = bert.norm(x, "embeddings.LayerNorm", sizes.dim);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("encoder.layer.", layer, ".");
    x = bert.layer(x, bert.take_layer(at), {}, at);
  }
  return bert.finish(x, sizes.positions);
}

}  // namespace headway
