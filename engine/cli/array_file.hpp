// Writes a whole array as .npy.
#pragma once

#include <bit>
#include <span>

#include "engine/cli/byte_sink.hpp"
#include "engine/formats/npy.hpp"

namespace headway::cli {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

// float32, row-major, `shape.elements()` numbers.
inline void write_array(ByteSink& sink, const Shape& shape, std::span<const float> values) {
  sink.write(npy_header(DType::f32, shape));
  sink.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

}  // namespace headway::cli
