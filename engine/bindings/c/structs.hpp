// Takes the caller's structs, of whatever version, by the size they start with, and other arguments
// of C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "engine/base/message.hpp"
#include "headway/error.hpp"
#include "headway/headway.h"

namespace headway::c {

template <typename T>
T& not_null(T* pointer, std::string_view name) {
  if (!pointer) fail(ErrorCode::invalid_argument, name, ": expected a pointer, found NULL");
  return *pointer;
}

// Flags are 0 or 1, so that other numbers can get a meaning.
inline bool read_flag(int32_t value, std::string_view name) {
  if (value != 0 && value != 1)
    fail(ErrorCode::invalid_argument, name, ": expected 0 or 1, found ", value);
  return value == 1;
}

// No version of a struct is larger: a greater size was never set, and must not be read up to.
constexpr size_t kLargestStruct = 4096;

// What a struct measured in the first version that had it; specialized where it has grown since.
template <typename Struct>
inline constexpr size_t kFirstSize = sizeof(Struct);
template <>
inline constexpr size_t kFirstSize<headway_embed_request> = offsetof(headway_embed_request, prompt);
template <>
inline constexpr size_t kFirstSize<headway_tokenize_request> = offsetof(headway_tokenize_request,
                                                                        stride);
template <>
inline constexpr size_t kFirstSize<headway_model_info> = offsetof(headway_model_info, labels);

// The size of a struct that the caller made.
template <typename Struct>
size_t struct_size(const Struct* given, std::string_view name) {
  const size_t size = not_null(given, name).size;
  if (size < kFirstSize<Struct> || size > kLargestStruct)
    fail(ErrorCode::invalid_argument, name, ".size: expected sizeof(*", name, "), ", sizeof(Struct),
         " in this version, found ", size);
  return size;
}

// A copy, 0 where the caller's headers are older; Error(unsupported) when the caller's headers are
// newer and a field beyond is in use.
template <typename Struct>
Struct read_struct(const Struct* given, std::string_view name) {
  const size_t size = struct_size(given, name);
  const auto* bytes = reinterpret_cast<const std::byte*>(given);
  const size_t known = std::min(size, sizeof(Struct));
  if (std::any_of(bytes + known, bytes + size, [](std::byte b) { return b != std::byte{}; }))
    fail(ErrorCode::unsupported, name, ": a field is set that version ", HEADWAY_VERSION,
         " of the library does not know");
  Struct copy{};
  std::memcpy(&copy, bytes, known);
  return copy;
}

// Fills the caller's struct: what this version does not know of it becomes 0.
template <typename Struct>
void write_struct(Struct* out, std::string_view name, Struct value) {
  const size_t size = struct_size(out, name);
  value.size = size;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(static_cast<void*>(out), &value, std::min(size, sizeof(Struct)));
}

}  // namespace headway::c
