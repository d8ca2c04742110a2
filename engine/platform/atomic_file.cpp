// A temporary file beside the target, a rename at the end, and a table for signal handlers.
#include "engine/platform/atomic_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

namespace headway {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;

// Fixed memory, because a signal handler may neither allocate nor lock.
enum SlotState : int { kFree, kReserved, kPending };
struct Slot {
  std::atomic<int> state{kFree};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<Slot, AtomicFile::kMaxPending> slots;

size_t reserve_slot(const std::string& path) {
  for (size_t i = 0; i < slots.size(); ++i) {
    int expected = kFree;
    if (slots[i].state.compare_exchange_strong(expected, kReserved)) return i;
  }
  fail(ErrorCode::limit, "cannot write \"", path, "\": ", AtomicFile::kMaxPending,
       " files are being written already");
}

void free_slot(size_t slot) {
  slots[slot].state.store(kFree);
}

// The status of what stands at `path`, links followed; nothing when there is nothing.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) return status;
  if (errno != ENOENT) fail_errno("write", path, errno);
  return std::nullopt;
}

// Throws unless an existing file at `path` may be replaced.
void check_target(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode))
    fail(ErrorCode::io, "cannot write \"", path, "\": it is ",
         S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
  // A rename asks only the folder; people protect files.
  if (::access(path.c_str(), W_OK) != 0) fail_errno("write", path, errno);
}

// An absolute path, so that a later change of the working directory changes nothing.
std::string resolve(const std::string& path, bool exists) {
  std::error_code error;
  const auto resolved =
      exists ? std::filesystem::canonical(path, error) : std::filesystem::absolute(path, error);
  if (error) fail_errno("write", path, error.value());
  return resolved.string();
}

std::string temporary_name(const std::string& target) {
  // Short, as the target's own name may be as long as names can be.
  std::random_device random;
  std::array<char, 40> name;
  std::snprintf(name.data(), name.size(), ".headway-%08x%08x.tmp", random(), random());
  return target.substr(0, target.rfind('/') + 1) + name.data();
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), slot_(reserve_slot(path)) {
  try {
    if (path.find('\0') != std::string::npos)
      fail(ErrorCode::not_found, "cannot write \"", path.c_str(),
           "\\0...\": the name contains a NUL");
    const auto status = status_of(path);
    if (status) check_target(path, *status);
    if (path.empty()) fail_errno("write", path, ENOENT);
    if (path.ends_with('/')) fail_errno("write", path, EISDIR);
    target_ = resolve(path, status.has_value());
    do {
      temporary_ = temporary_name(target_);
      if (temporary_.size() >= PATH_MAX) fail_errno("write", path, ENAMETOOLONG);
      // In the table before it exists: no moment in which a signal could miss it.
      slots[slot_].state.store(kReserved);
      std::strcpy(slots[slot_].path.data(), temporary_.c_str());
      slots[slot_].state.store(kPending);
      const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
      fd_ = FileDescriptor(::open(temporary_.c_str(), flags, 0666));
    } while (!fd_.valid() && errno == EEXIST);
    if (!fd_.valid()) fail_errno("write", path, errno);
    buffer_.reserve(kBufferBytes);
    if (status) ::fchmod(fd_.get(), status->st_mode & 0777);
  } catch (...) {
    discard();
    throw;
  }
}

AtomicFile::~AtomicFile() {
  if (fd_.valid()) discard();
}

void AtomicFile::discard() noexcept {
  if (fd_.valid()) ::unlink(temporary_.c_str());
  fd_ = FileDescriptor();
  free_slot(slot_);
}

void AtomicFile::discard_and_fail(const char* action, int error) {
  discard();
  fail_errno(action, path_, error);
}

void AtomicFile::require_open() const {
  if (!fd_.valid()) fail(ErrorCode::internal, "\"", path_, "\" has been committed or given up");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  require_open();
  size_ += bytes.size();
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + count);
    bytes = bytes.subspan(count);
    if (buffer_.size() == kBufferBytes) flush();
  }
}

void AtomicFile::flush() {
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t count = ::write(fd_.get(), buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) discard_and_fail("write", errno);
    done += static_cast<size_t>(count);
  }
  buffer_.clear();
}

void AtomicFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  require_open();
  if (offset > size_ || bytes.size() > size_ - offset)
    fail(ErrorCode::invalid_argument, "\"", path_, "\": ", bytes.size(), " bytes at ", offset,
         " are not within the ", size_, " written");
  flush();
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) discard_and_fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
}

void AtomicFile::commit() {
  require_open();
  flush();
  // Network file systems report failed writes here. The number is gone either way.
  if (::close(fd_.release()) != 0 && errno != EINTR) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    discard_and_fail("write", error);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    discard_and_fail("write", error);
  }
  free_slot(slot_);
}

void AtomicFile::remove_pending() noexcept {
  const int saved_errno = errno;
  for (Slot& slot : slots)
    if (slot.state.load() == kPending) ::unlink(slot.path.data());
  errno = saved_errno;
}

}  // namespace headway
