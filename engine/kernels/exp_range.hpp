// The range in which the kernels compute exp.
#pragma once

namespace headway {

// exp is exactly 0 below this. exp(-70) = 4e-31 leaves room to divide by a sum of up to 3e7 terms,
// or to multiply with a normal tail, before a result becomes denormal, which costs 100 cycles and
// more on some CPUs.
inline constexpr float kExpLowest = -70.0f;
// Above this exp may overflow.
inline constexpr float kExpHighest = 88.0f;

}  // namespace headway
