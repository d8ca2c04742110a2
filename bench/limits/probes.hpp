// Loops that do nothing but one thing as fast as the core can.
#pragma once

#include <cstddef>

namespace headway {

// f32 multiply-adds between registers. Returns the operations done, a multiply and an add counting
// as two; in proportion to `steps`.
size_t fma_probe(size_t steps);

// Reads [data, data + bytes), aligned to 64, bytes a multiple of 1024.
void read_probe(const std::byte* data, size_t bytes);

}  // namespace headway
