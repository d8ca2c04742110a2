// NumPy's .npy files (format 1.0 to 3.0,
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "headway/tensor.hpp"

namespace headway {

// An array in memory, row-major.
struct NpyArray {
  Shape shape;
  std::vector<float> values;
};

// The array of a file with little-endian float32, float64 (rounded to float32), int32 or int64
// (likewise) in C order. Fortran order is refused by name, unless the array has at most one
// dimension (both orders are the same then, and NumPy writes either). Error(format) for a damaged
// file, Error(unsupported) for other types and orders, naming the file, the expected and the found.
NpyArray read_npy(const std::string& path);
// The same for a file's content; `path` stands in messages.
NpyArray parse_npy(std::string_view bytes, const std::string& path);

// The beginning of a version 1.0 file of `shape` in C order; the data (little-endian) follows. Its
// size does not depend on the first extent, so that it can be patched when the number of rows is
// known; a multiple of 64 bytes, as NumPy writes it. f32, f64, i32 and i64, else
// Error(invalid_argument).
std::string npy_header(DType type, const Shape& shape);

}  // namespace headway
