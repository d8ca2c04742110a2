// The BERT pre-tokenizer in front of the WordPiece model: cuts at whitespace and around
// punctuation, and hands each word on (tokenizers 0.23.3, pre_tokenizers/bert.rs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/text/piece_encoder.hpp"
#include "engine/text/unicode.hpp"
#include "engine/text/wordpiece.hpp"

namespace headway {

// A sink of normalized characters. `word` is working memory of the caller, empty at first.
class BertWords {
 public:
  BertWords(const WordPiece& model, std::string& word, IdSink& sink)
      : model_(model), word_(word), sink_(sink) {}

  void put(char32_t c) {
    const uint16_t flags = char_record(c).flags;
    if (flags & kCharSpace) {
      end_word();
    } else if (flags & kCharPunctuation) {
      end_word();
      put_word_char(c);
      end_word();
    } else {
      put_word_char(c);
    }
  }

  // Characters that are neither whitespace nor punctuation, in bytes: `count` ASCII characters.
  // The returned place is to be filled; null when the word is too long to matter any more.
  char* put_ascii(size_t count) {
    chars_ += count;
    if (chars_ > model_.max_word_chars()) return nullptr;
    word_.resize(word_.size() + count);
    return word_.data() + word_.size() - count;
  }

  // The end of the text ends a word too.
  void end_word() {
    if (chars_ == 0) return;
    if (chars_ > model_.max_word_chars()) {
      sink_.ids().push_back(model_.unknown());
    } else {
      model_.encode(word_, sink_.ids());
    }
    word_.clear();
    chars_ = 0;
  }

  bool full() const { return sink_.full(); }

 private:
  void put_word_char(char32_t c) {
    // Only the number of characters counts once a word is too long: a word may be the whole text.
    if (++chars_ <= model_.max_word_chars()) append_utf8(word_, c);
  }

  const WordPiece& model_;
  std::string& word_;
  IdSink& sink_;
  size_t chars_ = 0;  // of the word so far
};

}  // namespace headway
