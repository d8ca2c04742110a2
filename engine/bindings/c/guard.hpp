// The border: inside, Errors are thrown; outside, there are statuses and the caller's
// headway_error.
#pragma once

#include <string_view>

#include "engine/base/function_ref.hpp"
#include "headway/headway.h"

namespace headway::c {

// Thrown where the caller's memory is too small; ErrorCode has no use for it.
struct BufferTooSmall {
  std::string_view name;  // of the field with the capacity
  size_t needed, found;
};

// Runs `action`. Whatever it throws becomes a status and a message in `error`, if there is one.
headway_status guard(headway_error* error, FunctionRef<void()> action) noexcept;

}  // namespace headway::c
