// Table lookup kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headway {

// y[i, :] = table[ids[i], :] for i < count, rows of `width` values. The caller has checked that
// every id is in [0, rows of the table); y does not overlap the table. No allocation, no threads.
void gather_rows(const float* table, size_t width, const int32_t* ids, size_t count, float* y);

}  // namespace headway
