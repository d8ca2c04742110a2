// Table lookup kernel: copies need no SIMD of ours, memcpy has it.
#include "engine/kernels/gather.hpp"

#include <cstring>

namespace headway {

void gather_rows(const float* table, size_t width, const int32_t* ids, size_t count, float* y) {
  if (width == 0) return;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(y + i * width, table + static_cast<size_t>(ids[i]) * width, width * sizeof(float));
}

}  // namespace headway
