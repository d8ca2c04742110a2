// Reading files: open, check that it is a regular file, read or map.
#include "engine/platform/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/checked.hpp"
#include "engine/platform/posix.hpp"

namespace headway {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

struct OpenFile {
  FileDescriptor fd;
  size_t size;
};

OpenFile open_regular(const std::string& path) {
  // A name with a NUL inside would be cut by the system and open some other file.
  if (path.find('\0') != std::string::npos)
    fail(ErrorCode::not_found, "cannot open \"", path.c_str(), "\\0...\": the name contains a NUL");
  // Non-blocking, so that a FIFO without a writer is told from a file instead of waited for.
  OpenFile file{FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), 0};
  if (!file.fd.valid()) fail_errno("open", path, errno);
  struct stat status;
  if (::fstat(file.fd.get(), &status) != 0) fail_errno("inspect", path, errno);
  if (!S_ISREG(status.st_mode))
    fail(ErrorCode::io, "cannot read \"", path, "\": it is ", kind_of(status.st_mode),
         ", expected a file");
  file.size = checked_cast<size_t>(status.st_size, "file size");
  return file;
}

}  // namespace

std::string read_file(const std::string& path, size_t max_bytes) {
  const OpenFile file = open_regular(path);
  const auto check = [&](size_t bytes, const char* at_least) {
    if (bytes > max_bytes)
      fail(ErrorCode::limit, "cannot read \"", path, "\": it has ", at_least, bytes,
           " bytes, at most ", max_bytes, " are read");
  };
  check(file.size, "");
  std::string content;
  content.reserve(file.size);
  // Until the end and not for file.size bytes: the files of /proc and /sys say that they are empty.
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(file.fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_errno("read", path, errno);
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
    check(content.size(), "at least ");
  }
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  OpenFile file = open_regular(path);
  const Stamp stamp = stamp_of(file.fd, path);
  const std::byte* data = nullptr;
  if (stamp.size > 0) {  // mmap refuses an empty range
    void* mapping = ::mmap(nullptr, stamp.size, PROT_READ, MAP_PRIVATE, file.fd.get(), 0);
    if (mapping == MAP_FAILED) fail_errno("map", path, errno);
    data = static_cast<const std::byte*>(mapping);
  }
  try {
    return std::shared_ptr<const MappedFile>(new MappedFile(path, std::move(file.fd), data, stamp));
  } catch (...) {
    if (data) ::munmap(const_cast<std::byte*>(data), stamp.size);
    throw;
  }
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::Stamp MappedFile::stamp_of(const FileDescriptor& fd, const std::string& path) {
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) fail_errno("inspect", path, errno);
  return {checked_cast<size_t>(status.st_size, "file size"), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

void MappedFile::expect_unchanged() const {
  if (stamp_of(fd_, path_) != stamp_)
    fail(ErrorCode::io, "\"", path_, "\" was written to after it was opened: open it again");
}

void MappedFile::release(size_t offset, size_t length) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  offset = std::min(offset, size_);
  const size_t end = offset + std::min(length, size_ - offset);
  const size_t first = (offset + page - 1) / page * page;
  // The page that holds the end of the file has nothing after it that could be in use.
  const size_t last = end == size_ ? end : end / page * page;
  if (first < last) ::madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED);
}

}  // namespace headway
