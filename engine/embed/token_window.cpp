// Tokenizing on several threads.
#include "engine/embed/token_window.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/runtime/parallel.hpp"

namespace headway {
namespace {

constexpr size_t kWindowTexts = 4096;
// Texts a thread takes at a time: about 1 ms of tokenizing, so that claiming them costs nothing.
constexpr size_t kChunkTexts = 16;

}  // namespace

size_t window_size(size_t texts, FunctionRef<size_t(size_t)> bytes, int64_t max_length,
                   size_t most_tokens) {
  // A text hardly has more tokens than bytes, and 8 special ones.
  constexpr size_t kSpecial = 8;
  size_t tokens = 0;
  size_t count = 0;
  for (; count < std::min(texts, kWindowTexts); ++count) {
    tokens += std::min(bytes(count) + kSpecial, static_cast<size_t>(max_length));
    if (count > 0 && tokens > most_tokens) break;
  }
  return count;
}

void TokenWindow::fill(size_t texts, Encode encode, int threads, const std::stop_token& stop) {
  const size_t count = (texts + kChunkTexts - 1) / kChunkTexts;
  if (chunks_.size() < count) chunks_.resize(count);
  lengths_.resize(texts);

  const auto encode_chunk = [&](int64_t index) {
    const size_t begin = static_cast<size_t>(index) * kChunkTexts;
    const size_t end = std::min(begin + kChunkTexts, texts);
    Chunk& chunk = chunks_[static_cast<size_t>(index)];
    chunk.ids.clear();
    chunk.type_ids.clear();
    chunk.truncated = 0;
    for (size_t text = begin; text < end; ++text) {
      // Texts may be long: one of 60 MB takes some 50 ms.
      if (stop.stop_requested()) fail(ErrorCode::cancelled, "the call was cancelled");
      const size_t before = chunk.ids.size();
      chunk.truncated += encode(text, chunk.ids, chunk.type_ids) ? 1 : 0;
      chunk.type_ids.resize(chunk.ids.size());
      lengths_[text] = static_cast<int64_t>(chunk.ids.size() - before);
    }
  };
  const auto chunks = static_cast<int64_t>(count);
  if (chunks > 1 && threads > 1) {
    run_team(static_cast<int>(std::min<int64_t>(threads, chunks)),
             [&](Team& team) { team.for_each(chunks, encode_chunk); });
  } else {
    for (int64_t index = 0; index < chunks; ++index) encode_chunk(index);
  }

  ids_.clear();
  type_ids_.clear();
  truncated_ = 0;
  for (const Chunk& chunk : std::span(chunks_).first(count)) {
    ids_.insert(ids_.end(), chunk.ids.begin(), chunk.ids.end());
    type_ids_.insert(type_ids_.end(), chunk.type_ids.begin(), chunk.type_ids.end());
    truncated_ += chunk.truncated;
  }
}

}  // namespace headway
