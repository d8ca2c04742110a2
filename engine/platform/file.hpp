// Reading files: into memory, or mapped. Writing is in atomic_file.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/platform/posix.hpp"

namespace headway {

// The content of a regular file of at most `max_bytes`. Error(not_found) or Error(io) with the
// system's reason, Error(io) for what is no regular file (a directory, a FIFO, a device: never
// waited for), Error(limit) when it is larger.
std::string read_file(const std::string& path, size_t max_bytes);

// A whole file, read-only in memory. Shared: whoever keeps views of bytes() keeps the pointer.
// Any thread may read. Pages are read from disk when touched and belong to the page cache. The file
// may be removed, or replaced by renaming, but not written to: bytes() would show the new content,
// and where the file has become shorter the system answers reads with SIGBUS.
class MappedFile {
 public:
  // Errors as read_file. An empty file is mapped as zero bytes.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  // Error(io) when the file has been written to or shortened since it was opened: to be asked
  // before bytes() are used long after. One system call. Does not see what is written at the same
  // time.
  void expect_unchanged() const;

  // Tells the system that the pages wholly inside [offset, offset + length) are not needed any
  // more; touched again, they are read from the file again. What lies outside the file is ignored.
  void release(size_t offset, size_t length) const;

 private:
  // What changes with the content.
  struct Stamp {
    size_t size;
    int64_t seconds, nanoseconds;  // of the last write
    bool operator==(const Stamp&) const = default;
  };

  MappedFile(std::string path, FileDescriptor fd, const std::byte* data, const Stamp& stamp)
      : path_(std::move(path)), fd_(std::move(fd)), data_(data), size_(stamp.size), stamp_(stamp) {}
  static Stamp stamp_of(const FileDescriptor& fd, const std::string& path);

  std::string path_;
  FileDescriptor fd_;
  const std::byte* data_;
  size_t size_;
  Stamp stamp_;
};

}  // namespace headway
