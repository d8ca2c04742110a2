// Finds lines in a buffer that is refilled in small steps.
#include "engine/cli/line_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine/cli/interrupt.hpp"

namespace headway::cli {
namespace {

constexpr size_t kReadBytes = size_t{256} << 10;

int open_input(const std::string& path) {
  while (true) {  // opening a FIFO waits for its writer
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) return fd;
    if (errno != EINTR) fail_errno("open", path, errno);
    check_interrupt();
  }
}

}  // namespace

LineReader::LineReader(const std::string& path)
    : name_(path == "-" ? "standard input" : cat('"', path, '"')) {
  if (path != "-") {
    owned_ = FileDescriptor(open_input(path));
    fd_ = owned_.get();
  }
  struct stat status;
  if (::fstat(fd_, &status) != 0)
    fail(ErrorCode::io, "cannot read ", name_, ": ", errno_text(errno));
  if (S_ISDIR(status.st_mode))
    fail(ErrorCode::io, "cannot read ", name_,
         ": it is a directory, expected a file with one text a line");
  if (S_ISREG(status.st_mode)) {
    // Standard input may have been read in part by somebody else.
    const off_t offset = ::lseek(fd_, 0, SEEK_CUR);
    size_ = static_cast<uint64_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, offset)));
  }
}

void LineReader::invite(const char* what) const {
  if (::isatty(fd_) == 1)
    std::fprintf(stderr, "headway: type one %s a line; Ctrl-D on an empty line ends\n", what);
}

bool LineReader::read_more() {
  if (ended_) return false;
  if (buffer_.size() < end_ + kReadBytes)
    buffer_.resize(std::max(2 * buffer_.size(), end_ + kReadBytes));
  while (true) {
    const ssize_t count = ::read(fd_, buffer_.data() + end_, kReadBytes);
    if (count >= 0) {
      end_ += static_cast<size_t>(count);
      ended_ = count == 0;
      return !ended_;
    }
    if (errno != EINTR) fail(ErrorCode::io, "cannot read ", name_, ": ", errno_text(errno));
    check_interrupt();
  }
}

std::vector<std::string> LineReader::rest() {
  constexpr size_t kWindow = 4096;
  std::vector<std::string> lines;
  while (true) {
    const auto window = next(kWindow);
    if (window.empty()) return lines;
    lines.insert(lines.end(), window.begin(), window.end());
  }
}

std::span<const std::string_view> LineReader::next(size_t max_texts) {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  found_.clear();
  size_t searched = 0;  // no newline in [begin_, searched)
  while (found_.size() < max_texts && (found_.empty() || begin_ < kWindowBytes)) {
    const auto* newline = static_cast<const char*>(
        end_ > searched ? std::memchr(buffer_.data() + searched, '\n', end_ - searched) : nullptr);
    const size_t line_end = newline ? static_cast<size_t>(newline - buffer_.data()) : end_;
    if (line_end - begin_ > kMaxLineBytes)
      fail(ErrorCode::limit, "cannot read ", name_, ": line ", lines_ + found_.size() + 1,
           " is longer than ", kMaxLineBytes, " bytes; texts are separated by newlines");
    if (newline) {
      found_.emplace_back(begin_, line_end - begin_);
      begin_ = searched = line_end + 1;
      continue;
    }
    searched = end_;
    if (read_more()) continue;
    if (begin_ < end_) found_.emplace_back(begin_, end_ - begin_);
    begin_ = end_;
    break;
  }
  position_ += begin_;
  lines_ += found_.size();
  texts_.clear();
  for (const auto& [offset, length] : found_) texts_.emplace_back(buffer_.data() + offset, length);
  return texts_;
}

}  // namespace headway::cli
