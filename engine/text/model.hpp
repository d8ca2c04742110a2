// The model of a tokenizer: words to ids.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "engine/text/bpe.hpp"
#include "engine/text/unigram.hpp"
#include "engine/text/wordpiece.hpp"

namespace headway {

using ModelOptions = std::variant<WordPieceOptions, BpeOptions, UnigramOptions>;

// Working memory of one thread.
struct ModelMemory {
  Bpe::Memory bpe;
  Unigram::Memory unigram;
};

// Refers to the vocabulary it was made from.
class Model {
 public:
  Model(const Vocabulary& vocabulary, const ModelOptions& options)
      : model_(
            std::visit([&](const auto& of_kind) { return make(vocabulary, of_kind); }, options)) {}

  // Appends the ids of `word`, not empty, valid UTF-8.
  void encode(std::string_view word, ModelMemory& memory, std::vector<int32_t>& ids) const {
    if (const auto* bpe = std::get_if<Bpe>(&model_)) {
      bpe->encode(word, memory.bpe, ids);
    } else if (const auto* unigram = std::get_if<Unigram>(&model_)) {
      unigram->encode(word, memory.unigram, ids);
    } else {
      std::get<WordPiece>(model_).encode_any(word, ids);
    }
  }

  // The same, and for each id the bytes of the word that it stands for.
  void encode_spans(std::string_view word, ModelMemory& memory, std::vector<int32_t>& ids,
                    std::vector<ByteSpan>& spans) const {
    if (const auto* bpe = std::get_if<Bpe>(&model_)) {
      bpe->encode_spans(word, memory.bpe, ids, spans);
    } else if (const auto* unigram = std::get_if<Unigram>(&model_)) {
      unigram->encode_spans(word, memory.unigram, ids, spans);
    } else {
      std::get<WordPiece>(model_).encode_spans(word, ids, spans);
    }
  }

  // The reference takes what a Unigram model's unknown token stands for as that token's text.
  bool stands_for_itself(int32_t id) const {
    const auto* unigram = std::get_if<Unigram>(&model_);
    return unigram && unigram->unknown() == id;
  }

 private:
  using OneOf = std::variant<WordPiece, Bpe, Unigram>;
  static OneOf make(const Vocabulary& vocabulary, const WordPieceOptions& options) {
    return WordPiece(vocabulary, options);
  }
  static OneOf make(const Vocabulary& vocabulary, const BpeOptions& options) {
    return Bpe(vocabulary, options);
  }
  static OneOf make(const Vocabulary& vocabulary, const UnigramOptions& options) {
    return Unigram(vocabulary, options);
  }

  OneOf model_;
};

}  // namespace headway
