// The only door to oneDNN: matrix products of two kinds, made once per shape and run on the calling
// thread alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "headway/operations.hpp"

namespace headway {

// "3.2.0", of the library in use.
std::string onednn_version();
// The instruction set oneDNN chose, as it names it ("avx512_core_bf16").
std::string onednn_isa();
// Whether this thread is inside a call to oneDNN, which allocates on its own; tests count its
// allocations apart from ours.
bool inside_onednn();

// C[m, n] = A[m, k] B[k, n] with a B that was packed once. All of A and C are dense. A and B are
// f32 or bf16 as `precision` says, and C is f32; or, for int8, A is uint8, B int8 and C int32.
struct PackedGemmShape {
  Precision precision;
  int64_t m, k, n;
  friend bool operator==(const PackedGemmShape&, const PackedGemmShape&) = default;
};

// C[i] = A[i] B[i] for i in [0, batch), or C[i] += where `adds`, each matrix with strides of its
// own, in elements. The inner stride of A and C is 1.
struct BatchedGemmShape {
  int64_t batch, m, k, n;
  int64_t a_batch, a_row;
  int64_t b_batch, b_row, b_column;
  int64_t c_batch, c_row;
  bool adds = false;
  friend bool operator==(const BatchedGemmShape&, const BatchedGemmShape&) = default;
};

// A matrix product ready to run, shared by every thread.
class Gemm {
 public:
  virtual ~Gemm() = default;
  // Bytes of scratch run() needs, aligned to 64.
  virtual size_t scratch_bytes() const = 0;
  // Runs on this thread alone. Error(internal) with oneDNN's status when it fails.
  virtual void run(const void* a, const void* b, void* c, std::byte* scratch) const = 0;
};

// The product for a shape, from a bounded process-wide cache: making one takes 0.1 to 1 ms.
std::shared_ptr<const Gemm> packed_gemm(const PackedGemmShape& shape);
std::shared_ptr<const Gemm> batched_gemm(const BatchedGemmShape& shape);

// Bytes of a packed B [k, n]; one layout for every m.
size_t packed_weight_bytes(Precision precision, int64_t k, int64_t n);
// Packs weights [n, k], row-major, of the type B has (B is their transpose), into `packed`.
void pack_weight(Precision precision, const void* weights, int64_t k, int64_t n, void* packed);

// Whether a packed f32 B [k, n] lies as [ceil(n / 64)][k rounded up to 16][64], with zeros
// beyond n.
bool packed_in_blocks_of_64(int64_t k, int64_t n);

// Whether a packed product's bits are the same whatever its m is, for multiples of 8: shown by
// tests/ops/onednn_test.cpp for the instruction set and version in use. Where it is not known,
// every product must be run with m = 16.
bool packed_bits_free_of_rows(Precision precision);

}  // namespace headway
