// The three strategies, and windows.
#include "engine/text/truncation.hpp"

#include <algorithm>

#include "engine/base/message.hpp"

namespace headway {
namespace {

// What is left of the one text that may be cut, beside `other` ids that stay.
size_t cut_one(const char* name, size_t other, size_t room) {
  if (other < room) return room - other;
  fail(ErrorCode::invalid_argument, "max_length: only the ", name,
       " text may be cut, and nothing would be left of it: the other one has ", other,
       " ids or more, and ", room, " beside special tokens are allowed");
}

}  // namespace

size_t room_for_texts(size_t special_tokens, const EncodeOptions& options) {
  if (!options.add_special_tokens) return options.max_length;
  if (options.max_length < special_tokens)
    fail(ErrorCode::invalid_argument, "max_length: expected at least ", special_tokens,
         ", the number of special tokens, found ", options.max_length);
  return options.max_length - special_tokens;
}

void refuse_only_second(const EncodeOptions& options) {
  if (options.strategy == TruncationStrategy::only_second)
    fail(ErrorCode::invalid_argument,
         "strategy: only the second text may be cut, and there is none");
}

PairLengths truncate_pair(PairLengths lengths, size_t room, TruncationStrategy strategy) {
  if (lengths.first <= room && lengths.second <= room - lengths.first) return lengths;
  if (room == 0) return {0, 0};
  switch (strategy) {
    case TruncationStrategy::only_first:
      return {cut_one("first", lengths.second, room), lengths.second};
    case TruncationStrategy::only_second:
      return {lengths.first, cut_one("second", lengths.first, room)};
    case TruncationStrategy::longest_first:
      break;
  }
  const size_t shorter = std::min({lengths.first, lengths.second, room / 2});
  return lengths.first > lengths.second ? PairLengths{room - shorter, shorter}
                                        : PairLengths{shorter, room - shorter};
}

TokenRange first_window(size_t length, size_t kept, TruncationSide side) {
  return side == TruncationSide::left ? TokenRange{length - kept, length} : TokenRange{0, kept};
}

std::vector<TokenRange> cut_windows(size_t length, size_t kept, size_t stride,
                                    TruncationSide side) {
  std::vector<TokenRange> windows{first_window(length, kept, side)};
  if (kept == length) return windows;
  if (kept == 0) {
    windows.push_back({0, length});
    return windows;
  }
  if (stride >= kept)
    fail(ErrorCode::invalid_argument, "stride: expected less than ", kept,
         ", the ids of a text in each window, found ", stride);
  const size_t step = kept - stride;
  if (side == TruncationSide::left) {
    while (windows.back().begin > 0) {
      const size_t end = windows.back().end - step;
      windows.push_back({end - std::min(kept, end), end});
    }
  } else {
    while (windows.back().end < length) {
      const size_t begin = windows.back().begin + step;
      windows.push_back({begin, begin + std::min(kept, length - begin)});
    }
  }
  return windows;
}

}  // namespace headway
