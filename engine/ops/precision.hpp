// Which precisions are worth using on this CPU.
#pragma once

#include "headway/operations.hpp"

namespace headway {

// Whether the CPU, or what max_isa() leaves of it, has the instructions that make products in
// `precision` faster than in f32.
bool is_fast(Precision precision);

// Error(unsupported) saying what is missing when it has not; when `forced` only where products in
// `precision` cannot be made at all, or not exactly.
void expect_usable(Precision precision, bool forced);

}  // namespace headway
