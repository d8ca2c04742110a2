// The open handles of the C interface.
//
// A handle is no pointer but a number that is never given out twice, so that a call may come at any
// time, also while or after another thread closes the handle: it either finds the object and shares
// it until it returns, or is refused.
#pragma once

#include <memory>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "engine/base/message.hpp"
#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/structs.hpp"

namespace headway::c {

// Of an object of any type.
void* open_handle(std::shared_ptr<void> object, const std::type_info& type);
// Null when the handle is not open, or is one of another type.
std::shared_ptr<void> find_handle(const void* handle, const std::type_info& type);
// Whoever still uses the object keeps it.
void close_handle(const void* handle);

template <typename T>
T* open_handle(T object) {
  return static_cast<T*>(open_handle(std::make_shared<T>(std::move(object)), typeid(T)));
}

template <typename T>
std::shared_ptr<T> find(const T* handle, std::string_view name) {
  std::shared_ptr<void> found = find_handle(handle, typeid(T));
  if (found == nullptr) {
    fail(ErrorCode::invalid_argument, name, ": expected an open handle, found ",
         handle == nullptr ? "NULL" : "one that has been closed, or is none");
  }
  return std::static_pointer_cast<T>(std::move(found));
}

// Opens a further handle of the object that `handle` is of.
template <typename T>
headway_status copy_handle(const T* handle, std::string_view name, T** copy, headway_error* error) {
  return guard(error, [&] {
    not_null(copy, "copy") = nullptr;
    *copy = static_cast<T*>(open_handle(find(handle, name), typeid(T)));
  });
}

}  // namespace headway::c
