// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

#include "headway/export.h"

namespace headway {

// What kind of thing went wrong; programs branch on this, people read the message.
enum class ErrorCode {
  invalid_argument,  // the caller passed something that cannot be right (shape, range, name,
                     // combination)
  not_found,         // a named thing does not exist: file, tensor, input, output
  io,                // the operating system refused a read, write or mapping
  format,            // a file is damaged or is not what it should be
  unsupported,       // well-formed, but outside what this build or CPU can do
  limit,      // a limit of the engine would be exceeded; the message names needed and allowed
  busy,       // every slab is in use and the caller asked not to wait
  cancelled,  // the caller's stop token fired
  internal,   // a defect of Headway or of a library under it
};

// The name of a code as it is written above, for logs and the command line.
HEADWAY_API const char* to_string(ErrorCode code);

// Thrown by every function of the library that fails. The message names the file, layer, tensor or
// argument, what was expected and what was found. Nothing is printed and nothing is half-written
// when it is thrown.
class HEADWAY_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace headway
