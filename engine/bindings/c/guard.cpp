// Statuses for what is thrown.
#include "engine/bindings/c/guard.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>

#include "engine/base/message.hpp"
#include "headway/error.hpp"

namespace headway::c {
namespace {

headway_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return HEADWAY_INVALID_ARGUMENT;
    case ErrorCode::not_found:
      return HEADWAY_NOT_FOUND;
    case ErrorCode::io:
      return HEADWAY_IO;
    case ErrorCode::format:
      return HEADWAY_FORMAT;
    case ErrorCode::unsupported:
      return HEADWAY_UNSUPPORTED;
    case ErrorCode::limit:
      return HEADWAY_LIMIT;
    case ErrorCode::busy:
      return HEADWAY_BUSY;
    case ErrorCode::cancelled:
      return HEADWAY_CANCELLED;
    case ErrorCode::internal:
      break;
  }
  return HEADWAY_INTERNAL;
}

// Copies the text, cut between characters where it is too long.
void write_message(headway_error* error, std::string_view text) {
  if (!error) return;
  size_t length = std::min(text.size(), sizeof(error->message) - 1);
  const auto continues = [&](size_t i) { return (text[i] & 0xC0) == 0x80; };
  while (length > 0 && length < text.size() && continues(length)) --length;
  std::memcpy(error->message, text.data(), length);
  error->message[length] = '\0';
}

headway_status run(headway_error* error, FunctionRef<void()> action) {
  try {
    action();
    return HEADWAY_OK;
  } catch (const Error& thrown) {
    write_message(error, thrown.what());
    return status_of(thrown.code());
  } catch (const BufferTooSmall& thrown) {
    write_message(error, cat(thrown.name, ": needed ", thrown.needed, ", found ", thrown.found));
    return HEADWAY_BUFFER_TOO_SMALL;
  } catch (const std::bad_alloc&) {
    write_message(error, "out of memory");
    return HEADWAY_OUT_OF_MEMORY;
  } catch (const std::length_error&) {
    write_message(error, "out of memory: a size is beyond what this machine can address");
    return HEADWAY_OUT_OF_MEMORY;
  } catch (const std::exception& thrown) {
    write_message(error, thrown.what());
    return HEADWAY_INTERNAL;
  } catch (...) {
    write_message(error, "something was thrown that is no exception of the C++ library");
    return HEADWAY_INTERNAL;
  }
}

}  // namespace

headway_status guard(headway_error* error, FunctionRef<void()> action) noexcept {
  // Where the message would lie beyond the caller's struct, nothing can be said.
  if (error && error->size < sizeof(headway_error)) return HEADWAY_INVALID_ARGUMENT;
  if (error) error->message[0] = '\0';
  try {
    return run(error, action);
  } catch (...) {
    // Making the message threw.
    return HEADWAY_OUT_OF_MEMORY;
  }
}

}  // namespace headway::c

const char* headway_status_name(headway_status status) {
  static constexpr const char* kNames[] = {
      "ok",        "invalid_argument", "not_found", "io",
      "format",    "unsupported",      "limit",     "busy",
      "cancelled", "out_of_memory",    "internal",  "buffer_too_small"};
  return status >= 0 && status < static_cast<headway_status>(std::size(kNames)) ? kNames[status]
                                                                                : "unknown";
}
