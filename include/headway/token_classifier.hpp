// Texts to labelled stretches of them: named entities, parts of speech.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headway/text_model.hpp"

namespace headway {

// How the labels of tokens become entities, as transformers' token-classification pipeline has it.
//   none     each token is one
//   simple   neighbours of one label are one; a label that starts with "B-" begins another
//   first    as simple, of words: a word has the label of its first token,
//   average  that of the greatest mean score over its tokens,
//   max      that of its token with the greatest score
// Words are told by the prefix of tokens that go on with one ("##"); for tokenizers without one by
// the spaces of the text, which leaves punctuation in words.
enum class Aggregation : uint8_t { none, simple, first, average, max };
// "none", ...
HEADWAY_API const char* to_string(Aggregation aggregation);

struct EntityOptions {
  Aggregation aggregation = Aggregation::none;
  std::vector<std::string> ignored_labels = {"O"};  // entities of these labels are left out
};

struct Entity {
  std::string label;  // as the model names it; aggregated ones without what is before its first "-"
  float score = 0;    // probability, 0 to 1: the mean over what was put together
  // Its tokens as Tokenizer::join puts them together. The reference joins words of several tokens,
  // and these once more, which can lose spaces or accents: for what the text says take its bytes.
  std::string word;
  size_t begin = 0, end = 0;  // bytes of the text, as TokenOffsets
};

struct Entities {
  std::vector<std::vector<Entity>> texts;  // of each text, in the order in which they stand there
  EmbedStats stats;
};

// Opens directories as transformers' AutoModelForTokenClassification reads them; the labels are
// those of `id2label`, in info().labels. Scores are a softmax over the labels of each token. Texts
// beyond the limit are cut: nothing is found behind it.
class HEADWAY_API TokenClassifier : public TextModel {
 public:
  // Errors as Embedder::open.
  static TokenClassifier open(const std::filesystem::path& directory,
                              const EmbedderOptions& options = {});

  Entities classify(std::span<const std::string_view> texts, const RunOptions& options = {},
                    const EntityOptions& chosen = {}) const;

 private:
  using TextModel::TextModel;
};

}  // namespace headway
