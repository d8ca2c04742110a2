// Writing files that appear only when complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/platform/posix.hpp"

namespace headway {

// Writes to a temporary file in the folder of `path` and renames it to `path` in commit(): nobody
// ever sees half a file, and what was there stays until then. Without commit() the destructor
// removes the temporary file. Writes are collected in 256 KB. One thread at a time.
//
// Errors are Error(io) or Error(not_found), naming `path`, with the system's reason.
class AtomicFile {
 public:
  // Creates the temporary file, so that an unwritable place is an error before any work is done.
  // A link to an existing file is followed; permissions of an existing file are kept. Refused:
  // directories, FIFOs and devices, existing files without write permission; and Error(limit) for
  // more than kMaxPending of these objects in the process at a time.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Appends.
  void write(std::span<const std::byte> bytes);
  // Overwrites `bytes` from `offset` on; they must lie within what was written
  // (Error(invalid_argument)).
  void write_at(uint64_t offset, std::span<const std::byte> bytes);
  // Bytes written so far.
  uint64_t size() const { return size_; }
  // Gives the file its name. The last call; data may still be on its way from the page cache to
  // the disk.
  void commit();

  // Removes the temporary files of all uncommitted objects. Async-signal-safe: for a signal
  // handler that ends the process next.
  static void remove_pending() noexcept;

  static constexpr size_t kMaxPending = 16;

 private:
  void require_open() const;
  void flush();
  void discard() noexcept;
  [[noreturn]] void discard_and_fail(const char* action, int error);

  std::string path_;    // as given, for messages
  std::string target_;  // links resolved
  std::string temporary_;
  size_t slot_;  // in the table for remove_pending()
  FileDescriptor fd_;
  std::vector<std::byte> buffer_;
  uint64_t size_ = 0;
};

}  // namespace headway
