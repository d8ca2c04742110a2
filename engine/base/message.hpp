// Builds error messages: cat("x is ", 3, ", expected ", 4).
#pragma once

#include <locale>
#include <sstream>
#include <string>

#include "headway/error.hpp"

namespace headway {

// Everything streamable, one after the other; numbers as C writes them, whatever locale the
// program has set ("16384", not "16.384").
template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

// Throws Error(code, all parts in one message).
template <typename... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, cat(parts...));
}

}  // namespace headway
