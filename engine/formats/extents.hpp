// The number of elements that a shape from a file claims.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace headway {

// The product of the extents (none negative), nothing when it does not fit 63 bits. A zero anywhere
// makes it zero.
inline std::optional<int64_t> count_elements(std::span<const int64_t> extents) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  int64_t product = 1;
  for (const int64_t extent : extents)
    if (__builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  return product;
}

}  // namespace headway
