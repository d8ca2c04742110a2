// DistilBERT as a graph of layers: half of BERT's, without token types.
#include "engine/models/distilbert.hpp"

#include "engine/base/message.hpp"
#include "engine/models/encoder.hpp"

namespace headway {
namespace {

constexpr LayerNames kNames = {.query = "attention.q_lin",
                               .key = "attention.k_lin",
                               .value = "attention.v_lin",
                               .out = "attention.out_lin",
                               .attention_norm = "sa_layer_norm",
                               .up = "ffn.lin1",
                               .down = "ffn.lin2",
                               .output_norm = "output_layer_norm"};

}  // namespace

LoadedModel load_distilbert(JsonNode config, Tensors& tensors) {
  const Sizes sizes = read_sizes(
      config, {.dim = "dim", .layers = "n_layers", .heads = "n_heads", .inner = "hidden_dim"});
  tensors.choose_prefix({"", "distilbert."}, "embeddings.word_embeddings.weight");
  // The reference has this epsilon in its code.
  Encoder bert(sizes, read_activation(config, "activation", "gelu"), 1e-12f, tensors);

  Value x = bert.sum({bert.words(sizes.dim), bert.places(sizes.dim)});
  x = bert.norm(x, "embeddings.LayerNorm", sizes.dim);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string at = cat("transformer.layer.", layer, ".");
    x = bert.layer(x, bert.take_layer(at, kNames), {}, at);
  }
  return bert.finish(x, sizes.positions);
}

}  // namespace headway
