// Reading files: into memory, or mapped. Writing is in atomic_file.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace headway {

// The content of a regular file of at most `max_bytes`. Error(not_found) or Error(io) with the
// system's reason, Error(io) for what is no regular file (a directory, a FIFO, a device: never
// waited for), Error(limit) when it is larger.
std::string read_file(const std::string& path, size_t max_bytes);

// A whole file, read-only in memory. Shared: whoever keeps views of bytes() keeps the pointer.
// Any thread may read. Pages are read from disk when touched and belong to the page cache; the
// file must not be shortened while it is mapped (the system would answer reads with SIGBUS).
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

  // Tells the system that the pages wholly inside [offset, offset + length) are not needed any
  // more; touched again, they are read from the file again. What lies outside the file is ignored.
  void release(size_t offset, size_t length) const;

 private:
  MappedFile(std::string path, const std::byte* data, size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  const std::byte* data_;
  size_t size_;
};

}  // namespace headway
