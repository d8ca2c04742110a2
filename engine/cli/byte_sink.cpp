// Files by AtomicFile, everything else by write().
#include "engine/cli/byte_sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <CLI/Error.hpp>
#include <filesystem>

#include "engine/cli/interrupt.hpp"

namespace headway::cli {
namespace {

// Whether something stands at `path` that a rename would destroy rather than fill.
bool is_stream(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int open_stream(const std::string& path) {
  while (true) {  // opening a FIFO waits for its reader
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd >= 0) return fd;
    if (errno != EINTR) fail_errno("write", path, errno);
    check_interrupt();
  }
}

}  // namespace

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EPIPE)
      fail(ErrorCode::io, "cannot write to ", name, ": its reader has gone");
    if (count < 0 && errno != EINTR)
      fail(ErrorCode::io, "cannot write to ", name, ": ", errno_text(errno));
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
    check_interrupt();
  }
}

void print(std::string_view text) {
  write_all(STDOUT_FILENO, text, "standard output");
}

ByteSink::ByteSink(const std::string& path) {
  if (path == "-") {
    name_ = "standard output";
    fd_ = STDOUT_FILENO;
  } else if (is_stream(path)) {
    name_ = cat('"', path, '"');
    owned_ = FileDescriptor(open_stream(path));
    fd_ = owned_.get();
  } else {
    file_.emplace(path);
  }
}

void ByteSink::refuse_terminal(const char* instead) const {
  if (fd_ >= 0 && ::isatty(fd_) == 1)
    throw CLI::ValidationError("--output",
                               cat("npy is binary, and ", name_, " is a terminal: ", instead));
}

void ByteSink::write(std::string_view bytes) {
  if (file_)
    file_->write(std::as_bytes(std::span(bytes)));
  else
    write_all(fd_, bytes, name_);
}

void ByteSink::patch(uint64_t offset, std::string_view bytes) {
  file_->write_at(offset, std::as_bytes(std::span(bytes)));
}

void ByteSink::commit() {
  if (file_) file_->commit();
}

void refuse_same_file(const char* option, const std::string& path, const char* other_option,
                      const std::string& other_path) {
  if (path.empty() || other_path.empty() || path == "-" || other_path == "-") return;
  std::error_code missing;  // then they are not the same, unless they are named the same
  const bool same = path == other_path || std::filesystem::equivalent(path, other_path, missing);
  if (same && !is_stream(path))
    throw CLI::ValidationError(option, cat("\"", path, "\" is also named by ", other_option));
}

}  // namespace headway::cli
