// Builds error messages: cat("x is ", 3, ", expected ", 4).
#pragma once

#include <sstream>
#include <string>

#include "headway/error.hpp"

namespace headway {

// Everything streamable, one after the other.
template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// Throws Error(code, all parts in one message).
template <typename... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, cat(parts...));
}

}  // namespace headway
