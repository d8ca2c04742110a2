// The ids of some texts, packed as the engine takes them.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/base/function_ref.hpp"

namespace headway {

// How many of the first texts to run at once. Enough for the threads to wait seldom for the last
// sequence of a window, few enough for memory not to grow with the number of texts: a window has at
// most 4096 texts and, unless it is one text, `most_tokens`: 512 Ki (a tenth of that in usual
// English), so ids and token types take 4 MB. At least 1 when there is a text.
// Text number i has at most `bytes(i)` bytes.
inline constexpr size_t kWindowTokens = size_t{1} << 19;
size_t window_size(size_t texts, FunctionRef<size_t(size_t)> bytes, int64_t max_length,
                   size_t most_tokens = kWindowTokens);

// Memory that is used again for the next window. One caller at a time; the work is spread over
// threads of the process's pool.
class TokenWindow {
 public:
  // Appends the ids of text number `text`, and their types or nothing where these are all 0;
  // returns whether the text was cut. Called on many threads at once.
  using Encode =
      FunctionRef<bool(size_t text, std::vector<int32_t>& ids, std::vector<int32_t>& types)>;

  // Replaces what was there by the ids of `texts` texts, on at most `threads` threads.
  // Error(cancelled) when `stop` fires: looked at before each text.
  void fill(size_t texts, Encode encode, int threads, const std::stop_token& stop);

  std::span<const int32_t> ids() const { return ids_; }            // of all texts, packed
  std::span<const int32_t> type_ids() const { return type_ids_; }  // of each id
  std::span<const int64_t> lengths() const { return lengths_; }    // tokens of each text
  int64_t truncated() const { return truncated_; }                 // texts beyond max_length

 private:
  struct Chunk {
    std::vector<int32_t> ids, type_ids;
    int64_t truncated = 0;
  };

  std::vector<Chunk> chunks_;
  std::vector<int32_t> ids_;
  std::vector<int32_t> type_ids_;
  std::vector<int64_t> lengths_;
  int64_t truncated_ = 0;
};

}  // namespace headway
