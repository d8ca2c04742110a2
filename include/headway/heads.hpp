// Which tokens the heads of a model look at: the attention weights of a text, and what stands out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headway/embedder.hpp"
#include "headway/engine.hpp"
#include "headway/export.h"

namespace headway {

// The attention weights of a text of T tokens, head by head. Layers and heads count from 0, as in
// the names of a model's tensors.
struct HEADWAY_API AttentionMaps {
  std::vector<std::string> tokens;  // T, as the vocabulary writes them: "[CLS]", "cat", "##s"
  std::vector<bool> special;        // T, whether it is a token as the model puts around every text
  bool truncated = false;           // the text was longer than the limit
  int64_t first_layer = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  std::vector<float> weights;  // [layers, heads, T, T]

  // [T, T] of one head: number j of row i says how much token i looks at token j. The numbers of a
  // row sum to 1. Error(invalid_argument) when `layer`, from first_layer on, or `head` is not
  // there.
  std::span<const float> map(int64_t layer, int64_t head) const;
};

// How widely a head looks: the Shannon entropy of a row in bits, mean over the rows. 0 when each
// token looks at one token only, log2(T) when at all alike. Errors as map().
HEADWAY_API double attention_entropy(const AttentionMaps& maps, int64_t layer, int64_t head);

// Token number `from` looks at token number `to`.
struct AttentionLink {
  int64_t from = 0;
  int64_t to = 0;
  float weight = 0;
};

// The greatest weights of a head, `count` or all that are above 0 if these are fewer: the greatest
// first, equal ones in the order of the map. With `words_only` those between tokens that are not
// special: many heads rest on the special ones. Errors as map().
HEADWAY_API std::vector<AttentionLink> strongest_links(const AttentionMaps& maps, int64_t layer,
                                                       int64_t head, size_t count,
                                                       bool words_only = false);

// Opens directories as Embedder does, but for what comes after the transformer's layers, and looks
// at one text at a time. Immutable; safe to use from any number of threads at once; copies share
// everything.
class HEADWAY_API Heads {
 public:
  // Errors as Embedder::open.
  static Heads open(const std::filesystem::path& directory, const EmbedderOptions& options = {});

  // The maps of every layer, or of one: layers after it are not computed. Takes 4 bytes for each of
  // layers x heads x T x T weights. Error(invalid_argument) for a layer that the model does not
  // have.
  AttentionMaps look(std::string_view text, std::optional<int64_t> layer = {},
                     const RunOptions& options = {}) const;

 private:
  struct State;
  explicit Heads(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace headway
