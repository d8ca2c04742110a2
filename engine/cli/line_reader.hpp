// Reads texts, one a line, window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/platform/posix.hpp"

namespace headway::cli {

// A text is a line without its newline, all other bytes kept (a carriage return too). A last line
// without newline counts; an empty line is an empty text. Memory: one window, whatever the input's
// size.
class LineReader {
 public:
  // A window ends when it holds so many bytes of text (or one longer line).
  static constexpr size_t kWindowBytes = size_t{8} << 20;
  // Longer lines are refused: no model reads that far, and memory must be bounded.
  static constexpr size_t kMaxLineBytes = size_t{64} << 20;

  // A path, or "-" for standard input. Error(not_found) or Error(io) with the system's reason.
  explicit LineReader(const std::string& path);

  // The next lines, `max_texts` at most; none at the end. The views hold until the next call.
  // Error(io) when reading fails, Error(limit) with the line's number for a line that is too long,
  // Error(cancelled) when interrupted.
  std::span<const std::string_view> next(size_t max_texts);

  // All lines that are left. Errors as above.
  std::vector<std::string> rest();

  // Bytes of the input, where it is a regular file.
  std::optional<uint64_t> size() const { return size_; }
  // Bytes of the lines given out so far, newlines included.
  uint64_t position() const { return position_; }
  // As messages call it: a quoted path, or "standard input".
  const std::string& name() const { return name_; }
  // Says on standard error what to type ("text", "document"), where somebody is to.
  void invite(const char* what) const;

 private:
  bool read_more();  // false at the end of the input

  std::string name_;
  FileDescriptor owned_;
  int fd_ = 0;
  std::optional<uint64_t> size_;
  bool ended_ = false;  // remembered: a terminal would have to be told twice
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // bytes of buffer_ that were read and not given out
  uint64_t position_ = 0;
  uint64_t lines_ = 0;  // given out so far
  std::vector<std::pair<size_t, size_t>> found_;
  std::vector<std::string_view> texts_;
};

}  // namespace headway::cli
