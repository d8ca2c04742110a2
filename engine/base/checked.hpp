// Size arithmetic that throws instead of wrapping. Every size, offset and count that comes from a
// file or a caller goes through these before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/base/message.hpp"

namespace headway {

// a * b, or Error(limit) naming `what` when it does not fit T.
template <typename T>
T checked_mul(T a, std::type_identity_t<T> b, const char* what) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    fail(ErrorCode::limit, what, ": ", a, " * ", b, " overflows");
  return result;
}

// a + b, or Error(limit) naming `what` when it does not fit T.
template <typename T>
T checked_add(T a, std::type_identity_t<T> b, const char* what) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    fail(ErrorCode::limit, what, ": ", a, " + ", b, " overflows");
  return result;
}

// `value` as To, or Error(limit) naming `what` when To cannot hold it.
template <typename To, typename From>
To checked_cast(From value, const char* what) {
  To result;
  if (__builtin_add_overflow(value, From{0}, &result))
    fail(ErrorCode::limit, what, ": ", value, " is out of range");
  return result;
}

// `value` rounded up to a multiple of `step` (step > 0).
template <typename T>
T checked_round_up(T value, std::type_identity_t<T> step, const char* what) {
  return checked_add<T>(value, step - 1, what) / step * step;
}

}  // namespace headway
