// The ids of some texts, packed as the engine takes them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headway/tokenizer.hpp"

namespace headway {

// How many of the first texts to run at once. Enough for the threads to wait seldom for the last
// sequence of a window, few enough for memory not to grow with the number of texts: a window has at
// most 4096 texts and, unless it is one text, 512 Ki tokens (a tenth of that in usual English), so
// ids and token types take 4 MB. At least 1 when there is a text.
size_t window_size(std::span<const std::string_view> texts, int64_t max_length);

// Memory that is used again for the next window. One caller at a time; the work is spread over
// threads of the process's pool.
class TokenWindow {
 public:
  // Replaces what was there by the ids of `texts`, each at most `max_length` long, on at most
  // `threads` threads.
  void fill(const Tokenizer& tokenizer, std::span<const std::string_view> texts, int64_t max_length,
            int threads);

  std::span<const int32_t> ids() const { return ids_; }            // of all texts, packed
  std::span<const int32_t> type_ids() const { return type_ids_; }  // 0: one sentence each
  std::span<const int64_t> lengths() const { return lengths_; }    // tokens of each text
  int64_t truncated() const { return truncated_; }                 // texts beyond max_length

 private:
  struct Chunk {
    std::vector<int32_t> ids;
    int64_t truncated = 0;
  };

  std::vector<Chunk> chunks_;
  std::vector<int32_t> ids_;
  std::vector<int32_t> type_ids_;
  std::vector<int64_t> lengths_;
  int64_t truncated_ = 0;
};

}  // namespace headway
