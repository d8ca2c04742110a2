// Kernels that turn the rows of a sequence into one vector.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. Bits depend on the values, sizes and the SIMD target alone.
#pragma once

#include <cstddef>

namespace headway {

// y[i] = (x[0, i] + ... + x[rows - 1, i]) / divisor over x [rows, width]; rows == 0 gives zeros.
// The rows are added one after the other, so the error is at most rows x 2^-24 of the mean size.
void sum_rows(const float* x, size_t rows, size_t width, float divisor, float* y);

// y[i] = the mean of x[r, i] with the weights first + r; rows == 0 gives zeros. Error as sum_rows.
void weighted_mean_rows(const float* x, size_t rows, size_t width, size_t first, float* y);

// y[i] = the greatest x[r, i]; rows == 0 gives zeros. A NaN makes its column NaN.
void max_rows(const float* x, size_t rows, size_t width, float* y);

// y[r, :] = x[r, :] / max(||x[r, :]||_2, eps) over x [rows, width], as
// torch.nn.functional.normalize. y may be x. The squares are summed in f32: a row with values from
// about 1e18 on becomes 0. A NaN makes its row NaN.
void l2_normalize(const float* x, size_t rows, size_t width, float eps, float* y);

}  // namespace headway
