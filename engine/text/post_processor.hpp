// What stands around a text, and around the two of a pair: the post-processors of tokenizer.json.
//
// Behaviour of the Rust library `tokenizers` 0.23.3 (processors/). Everything that a file says is
// worked out when it is read, into one list for single texts and one for pairs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headway {

// The ids of a text, or a special token.
struct TemplatePiece {
  enum class Kind : uint8_t { first, second, special };
  Kind kind;
  int32_t id = 0;  // of a special token
  int32_t type_id = 0;
  // Which text the piece goes with when there are windows, -1 for what a template adds; and its
  // type in all but the first of that text, which TemplateProcessing and, without special tokens,
  // RobertaProcessing forget: then a text keeps what it had before, 0 or 1.
  int8_t text = -1;
  int32_t later_type_id = 0;
};

using PostTemplate = std::vector<TemplatePiece>;

inline size_t count_special_tokens(const PostTemplate& pieces) {
  return static_cast<size_t>(std::count_if(
      pieces.begin(), pieces.end(),
      [](const TemplatePiece& piece) { return piece.kind == TemplatePiece::Kind::special; }));
}

// How BertProcessing (<cls> A <sep> B <sep>, B and what follows of type 1) and RobertaProcessing
// (<s> A </s> </s> B </s>, all of type 0) treat a pair.
enum class PairForm { bert, roberta };

// That tokens' places lose the spaces at their ends (trim_offsets of placed_tokens.hpp).
struct OffsetTrim {
  bool add_prefix_space;
  std::array<bool, 2> at_start;  // for each text
};

struct PostProcessor {
  PostTemplate single{{TemplatePiece::Kind::first, 0, 0, 0}};
  // One after the other; apart, because the processors of a Sequence treat them apart. Both are
  // empty when the file's template does not hold each text once.
  std::array<PostTemplate, 2> pair{PostTemplate{{TemplatePiece::Kind::first, 0, 0, 0}},
                                   PostTemplate{{TemplatePiece::Kind::second, 0, 1, 1, 1}}};

  std::vector<OffsetTrim> trims;  // in order
  // Of each text: no special token stands before it in what the next processor takes for that text.
  std::array<bool, 2> at_start{true, true};

  void trim(bool add_prefix_space) { trims.push_back({add_prefix_space, at_start}); }
  // Puts `before` and `after` around what there is.
  void surround(int32_t before, int32_t after, PairForm form);
  size_t pair_special_tokens() const {
    return count_special_tokens(pair[0]) + count_special_tokens(pair[1]);
  }
};

}  // namespace headway
