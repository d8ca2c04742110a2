// y = layer_norm(activation(x W^T + b) + residual) over rows, with weights packed once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "engine/kernels/layer_norm.hpp"
#include "engine/kernels/packed_product.hpp"
#include "engine/ops/onednn.hpp"
#include "engine/runtime/team.hpp"
#include "headway/operations.hpp"

namespace headway {

// What one call works on. Rows are dense.
struct LinearCall {
  const float* x = nullptr;  // [rows, in]
  int64_t rows = 0;
  bool padded = false;  // x may be read up to the next multiple of kFixedRows rows
  float* y = nullptr;   // [rows, out]; nothing else is written
  Activation activation = Activation::none;
  const float* residual = nullptr;  // [rows, out] or absent; may be y
  const LayerNorm* norm = nullptr;  // of the sum, or absent
};

// One Linear, its outputs cut into panels. A call is a grid of row tiles x panels, the same whoever
// runs it, so that results do not depend on how a team shares it. Each tile of the product goes to
// scratch in cache; one pass there scales it back (int8), adds the bias, applies the activation and
// adds the residual. A thread that works alone normalizes a tile right after its last panel; a
// team, whose threads have a panel each, when the whole grid is done. For bf16 and int8 a tile's
// rows are rounded into scratch first; what a row becomes depends on that row alone.
class PackedLinear {
 public:
  // Rows of every tile in bf16 where bits depend on their number; see packed_bits_free_of_rows().
  static constexpr int64_t kFixedRows = 16;

  // Inputs whose products in int8 cannot leave 32 bits: 255 * 127 * in is below 2^31.
  static constexpr int64_t kMostByteInputs = 66311;

  PackedLinear(Precision precision, int64_t in, int64_t out, bool bias);

  Precision precision() const { return precision_; }
  bool bias() const { return bias_; }
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  // Bytes of the packed weights, the bias and the outputs' scales and sums, a multiple of 64.
  size_t packed_bytes() const { return packed_bytes_; }
  // Whether calls of a few rows go through packed_product(): where all do, or where it has the bits
  // of oneDNN's product, which pack() finds out by comparing.
  bool thin(const std::byte* packed) const;
  // Packs parts whose outputs stand side by side. Their shapes have been checked.
  void pack(std::span<const LinearWeights> parts, std::byte* packed) const;

  // Bytes each thread needs beside the call's own memory.
  size_t thread_scratch(int64_t rows) const;
  // Called by every thread of the team with scratch of its own.
  void run(Team& team, const LinearCall& call, const std::byte* packed, std::byte* scratch) const;

 private:
  // Panels of 192 outputs: with K = 384 in f32 one takes 288 KiB and stays in L2 while the row
  // tiles pass, and there are enough of them to share a single short text among threads.
  static constexpr int64_t kPanel = 192;
  // Rows of a tile where bits allow it: its result, 48 KiB, is still in cache for the pass after
  // the product.
  static constexpr int64_t kTileRows = 64;
  // What the rows of a tile are rounded up to there. A text of 7 tokens takes 1.9 ms with 8, 2.6 ms
  // with 16 and no less with 1 (MiniLM in f32); each height is a product of its own to make.
  static constexpr int64_t kRowStep = 8;

  // Calls of so few rows mostly read weights, and go through packed_product(). A text of 7, 16, 30,
  // 60 and 120 tokens then takes 1.1, 2.1, 3.6, 7.2 and 13.9 ms, else 1.7, 2.5, 4.2, 7.8 and 14.2
  // (MiniLM in f32, two threads of a Zen 4). With more rows there is nothing in it.
  static constexpr int64_t kThinRows = 128;
  static constexpr size_t kOwnBlock = 16;

  struct Panel {
    int64_t begin, width;  // outputs
    size_t offset;         // in the packed block
    bool last;
  };
  // The product for one tile height and panel width, made when first needed.
  struct Product {
    std::once_flag once;
    std::shared_ptr<const Gemm> gemm;
  };

  // Where a thread's scratch holds what, in bytes from its begin.
  struct Scratch {
    size_t product, rows, row_scales, row_zeros, gemm, end;
  };

  // Whether f32 products are all ours, in blocks of kOwnBlock: where oneDNN's bits depend on the
  // number of rows, all its calls would have to have 16. MiniLM held to AVX2 is 1.09 x as fast then
  // on a mix of texts and 2.8 x on one of 7 tokens (Zen 4, two threads).
  bool own() const {
    return precision_ == Precision::f32 && !packed_bits_free_of_rows(Precision::f32);
  }
  bool fixed_rows() const { return !own() && !packed_bits_free_of_rows(precision_); }
  PackedBlocks own_blocks(int64_t width) const;
  size_t weight_bytes(int64_t width) const;
  int64_t tile_rows() const { return fixed_rows() ? kFixedRows : kTileRows; }
  int64_t round_up_rows(int64_t rows) const;
  Scratch layout(int64_t rows) const;
  Panel panel(int64_t index) const;
  const Gemm& gemm(const Panel& panel, int64_t height) const;
  // One panel's weights [width, in], which it may change, as the packed block holds them.
  void pack_panel(const Panel& panel, std::span<float> weights, std::byte* packed) const;
  // The `chunk` with which packed_product() multiplies with a packed panel: any where all products
  // are ours, else that which has the bits of oneDNN's; 0 where there is none.
  int64_t find_chunk(const Panel& panel, const std::byte* packed) const;
  // What pack() found, for the panels and for the last one.
  const int64_t* chunks(const std::byte* packed) const {
    return reinterpret_cast<const int64_t*>(packed + chunk_offset_);
  }
  // Rounds or copies `rows` rows from x to scratch and fills up to `height`; false where x can be
  // used as it is.
  bool copy_rows(const LinearCall& call, int64_t row, int64_t rows, int64_t height,
                 const Scratch& at, std::byte* scratch) const;
  // The product of a tile with a panel, to scratch.
  void multiply(const LinearCall& call, int64_t row, int64_t rows, const Panel& panel,
                const std::byte* packed, const Scratch& at, int64_t& copied_row,
                std::byte* scratch) const;
  // Normalizes `rows` rows, or what is left of them, in y.
  void normalize(const LinearCall& call, int64_t row, int64_t rows) const;
  void run_tile(const LinearCall& call, int64_t row, const Panel& panel, const std::byte* packed,
                const Scratch& at, int64_t& copied_row, std::byte* scratch) const;

  Precision precision_;
  int64_t in_, out_;
  bool bias_;
  int64_t panels_, panel_width_;
  size_t panel_bytes_, last_panel_bytes_;
  size_t bias_offset_, scale_offset_, sum_offset_, chunk_offset_, packed_bytes_;
  mutable std::array<std::array<Product, kTileRows / kRowStep>, 2>
      products_;  // [last panel?][height / kRowStep - 1]
};

}  // namespace headway
