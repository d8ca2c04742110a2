// What the files of this folder share: an owned file descriptor, and errno as an Error.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/message.hpp"

namespace headway {

// Closes its descriptor when it goes. Movable; -1 is "none".
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// The operating system's words for an errno value.
inline std::string errno_text(int error) {
  return std::error_code(error, std::generic_category()).message();
}

// Throws `cannot open "model.safetensors": Permission denied`: not_found when the path leads
// nowhere, else io.
[[noreturn]] inline void fail_errno(std::string_view action, const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  fail(missing ? ErrorCode::not_found : ErrorCode::io, "cannot ", action, " \"", path,
       "\": ", errno_text(error));
}

}  // namespace headway
