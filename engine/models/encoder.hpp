// The parts that encoders after BERT are put together from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/models/config.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"
#include "headway/layers.hpp"

namespace headway {

// What the tensors of one layer are called, after the layer's own name. The defaults are BERT's.
struct LayerNames {
  const char* query = "attention.self.query";
  const char* key = "attention.self.key";
  const char* value = "attention.self.value";
  const char* out = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char* up = "intermediate.dense";
  const char* down = "output.dense";
  const char* output_norm = "output.LayerNorm";
};

struct LayerWeights {
  MultiHeadWeights attention;
  NormWeights attention_norm;
  LinearWeights up, down;
  NormWeights output_norm;
};

// Builds a LoadedModel: takes weights by their names and adds what they are for to the graph. One
// thread, for as long as `tensors` live.
class Encoder {
 public:
  Encoder(const Sizes& sizes, Activation activation, float epsilon, Tensors& tensors);

  Graph& graph() { return model_.graph; }
  Value ids() const { return ids_; }

  // Rows of the tables "embeddings.*_embeddings.weight", `width` numbers each.
  Value words(int64_t width, const std::string& name = "embeddings.word_embeddings.weight");
  Value types(int64_t types, int64_t width);
  Value places(int64_t width);
  // Counted from `pad` on: position_embedding() with pad.
  Value counted_places(int64_t width, int64_t pad);

  Value sum(std::initializer_list<Value> terms);

  Value norm(Value x, const std::string& name, int64_t width, Bias bias = Bias::present);
  Value norm(Value x, const NormWeights& weights, const std::string& name);
  Value linear(Value x, const std::string& name, int64_t out, int64_t in,
               Bias bias = Bias::present);
  // MultiHead; its attention weights become the model's for the next layer.
  Value attend(Value x, const MultiHeadWeights& weights, MultiHeadOptions options,
               const std::string& name);

  // A gated feed-forward network without what follows it: gate() of `up`, whose first half is
  // activated, then `down`.
  Value gated_feed_forward(Value x, std::vector<LinearWeights> up, const LinearWeights& down,
                           const std::string& at);

  LayerWeights take_layer(const std::string& at, const LayerNames& names = {});
  // Self-attention, then a feed-forward network; a residual and a layer norm after each (Devlin et
  // al., 2018, section 3, and Vaswani et al., 2017, figure 1).
  Value layer(Value x, const LayerWeights& weights, const MultiHeadOptions& options,
              const std::string& at);

  // The model with `hidden` as its output, for at most `positions` tokens. Ends the building.
  LoadedModel finish(Value hidden, int64_t positions);

 private:
  Sizes sizes_;
  Activation activation_;
  float epsilon_;
  Tensors& tensors_;
  LoadedModel model_;
  Value ids_, type_ids_;
};

}  // namespace headway
