// Where a command's results go: a file that appears when complete, or a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/platform/atomic_file.hpp"
#include "engine/platform/posix.hpp"

namespace headway::cli {

// Writes all bytes to a descriptor. Error(io) with `name` and the system's reason (SIGPIPE must be
// ignored), Error(cancelled) when interrupted.
void write_all(int fd, std::string_view bytes, const std::string& name);

// To standard output, at once.
void print(std::string_view text);

// "-" is standard output. A path that leads to a pipe or a device (/dev/null, /dev/stdout) is
// written as a stream; any other path is a file that appears in one step at commit().
class ByteSink {
 public:
  // Error(not_found) or Error(io) when the path cannot be written.
  explicit ByteSink(const std::string& path);

  // Whether patch() may be used: true for files.
  bool is_file() const { return file_.has_value(); }
  // Throws CLI::ValidationError("--output", ...) when it is a terminal; `instead`: what to do.
  void refuse_terminal(const char* instead) const;
  void write(std::string_view bytes);
  // Overwrites bytes already written.
  void patch(uint64_t offset, std::string_view bytes);
  // The last step; without it a file never appears.
  void commit();

 private:
  std::string name_;
  std::optional<AtomicFile> file_;
  FileDescriptor owned_;
  int fd_ = -1;
};

// Throws CLI::ValidationError when two of the named paths are the same file (one option would
// overwrite what the other names). Empty paths and "-" are never the same.
void refuse_same_file(const char* option, const std::string& path, const char* other_option,
                      const std::string& other_path);

}  // namespace headway::cli
