// One table for handles of all types.
#include "engine/bindings/c/open_handles.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace headway::c {
namespace {

struct Opened {
  std::shared_ptr<void> object;
  const std::type_info* type;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<uintptr_t, Opened> opened;
  uintptr_t last = 0;
};

// Never destroyed: threads may call while the process ends.
Table& table() {
  static Table* table = new Table;
  return *table;
}

// A child forked while another thread looks something up must not find the table locked.
[[maybe_unused]] const int fork_handlers = [] {
  constexpr auto kUnlock = [] { table().mutex.unlock(); };
  return pthread_atfork([] { table().mutex.lock(); }, kUnlock, kUnlock);
}();

uintptr_t number_of(const void* handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

}  // namespace

void* open_handle(std::shared_ptr<void> object, const std::type_info& type) {
  std::lock_guard lock(table().mutex);
  // As far apart as the addresses that callers may take them for.
  table().last += alignof(std::max_align_t);
  table().opened.emplace(table().last, Opened{std::move(object), &type});
  return reinterpret_cast<void*>(table().last);
}

std::shared_ptr<void> find_handle(const void* handle, const std::type_info& type) {
  std::lock_guard lock(table().mutex);
  const auto found = table().opened.find(number_of(handle));
  if (found == table().opened.end() || *found->second.type != type) return nullptr;
  return found->second.object;
}

void close_handle(const void* handle) {
  std::shared_ptr<void> last;  // goes without the lock
  std::lock_guard lock(table().mutex);
  const auto found = table().opened.find(number_of(handle));
  if (found == table().opened.end()) return;
  last = std::move(found->second.object);
  table().opened.erase(found);
}

}  // namespace headway::c
