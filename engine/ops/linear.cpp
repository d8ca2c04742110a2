// Tiles and panels of a Linear.
#include "engine/ops/linear.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/base/convert.hpp"
#include "engine/kernels/epilogue.hpp"
#include "engine/runtime/arena.hpp"

namespace headway {
namespace {

constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

size_t aligned_floats(int64_t count) {
  const size_t bytes = checked_mul(checked_cast<size_t>(count, "elements"), sizeof(float), "bytes");
  return checked_round_up(bytes, Arena::kAlignment, "bytes");
}

}  // namespace

PackedLinear::PackedLinear(int64_t in, int64_t out, bool bias) : in_(in), out_(out), bias_(bias) {
  checked_mul(in, out, "elements of a weight");
  // Panels of equal width, in whole vectors, but for the last.
  panel_width_ = std::min(out, ceil_div(ceil_div(out, ceil_div(out, kPanel)), 16) * 16);
  panels_ = ceil_div(out, panel_width_);
  const auto bytes = [&](int64_t width) {
    return checked_round_up(packed_weight_bytes(in_, width), Arena::kAlignment, "packed weights");
  };
  panel_bytes_ = bytes(panel_width_);
  last_panel_bytes_ = bytes(out - (panels_ - 1) * panel_width_);
  bias_offset_ = checked_add(checked_mul(panel_bytes_, panels_ - 1, "packed weights"),
                             last_panel_bytes_, "packed weights");
  packed_bytes_ = checked_add(bias_offset_, bias_ ? aligned_floats(out_) : 0, "packed weights");
}

int64_t PackedLinear::tile_rows() {
  return packed_bits_free_of_rows() ? kTileRows : kRowStep;
}

PackedLinear::Panel PackedLinear::panel(int64_t index) const {
  const int64_t begin = index * panel_width_;
  return {begin, std::min(panel_width_, out_ - begin), panel_bytes_ * index, index == panels_ - 1};
}

const Gemm& PackedLinear::gemm(const Panel& panel, int64_t height) const {
  Product& product = products_[panel.last][height / kRowStep - 1];
  std::call_once(product.once, [&] { product.gemm = packed_gemm({height, in_, panel.width}); });
  return *product.gemm;
}

void PackedLinear::pack(std::span<const LinearWeights> parts, std::byte* packed) const {
  // The rows of one panel, gathered from the parts it spans.
  std::vector<float> rows(panel_width_ * in_);
  for (int64_t p = 0; p < panels_; ++p) {
    const Panel panel = this->panel(p);
    int64_t part_begin = 0;
    for (const LinearWeights& part : parts) {
      const int64_t part_end = part_begin + part.weight.shape()[0];
      const int64_t begin = std::max(part_begin, panel.begin);
      const int64_t end = std::min(part_end, panel.begin + panel.width);
      if (begin < end) {
        read_f32(part.weight.view(), (begin - part_begin) * in_, (end - begin) * in_,
                 &rows[(begin - panel.begin) * in_]);
      }
      part_begin = part_end;
    }
    pack_weight(rows.data(), in_, panel.width, packed + panel.offset);
  }
  auto* bias = reinterpret_cast<float*>(packed + bias_offset_);
  for (const LinearWeights& part : parts) {
    part.weight.done();
    if (!bias_) continue;
    read_f32(part.bias.view(), 0, part.bias.shape()[0], bias);
    bias += part.bias.shape()[0];
  }
}

size_t PackedLinear::thread_scratch(int64_t rows) const {
  const int64_t tile = std::min(tile_rows(), ceil_div(rows, kRowStep) * kRowStep);
  if (tile == 0) return 0;
  size_t product = 0;
  for (int64_t p : {int64_t{0}, panels_ - 1}) {
    const int64_t tail = ceil_div(rows % tile, kRowStep) * kRowStep;
    product = std::max(product, gemm(panel(p), tile).scratch_bytes());
    if (tail > 0) product = std::max(product, gemm(panel(p), tail).scratch_bytes());
  }
  product = checked_round_up(product, Arena::kAlignment, "scratch");
  return aligned_floats(tile * panel_width_) + aligned_floats(tile * in_) + product;
}

void PackedLinear::run(Team& team, const LinearCall& call, const std::byte* packed,
                       std::byte* scratch) const {
  const int64_t tiles = ceil_div(call.rows, tile_rows());
  // Panel by panel, so that a thread keeps a panel in cache while the rows pass.
  team.for_each(tiles * panels_, [&](int64_t item) {
    run_tile(call, item % tiles * tile_rows(), panel(item / tiles), packed, scratch);
  });
}

void PackedLinear::run_tile(const LinearCall& call, int64_t row, const Panel& panel,
                            const std::byte* packed, std::byte* scratch) const {
  const int64_t rows = std::min(tile_rows(), call.rows - row);
  const int64_t height = ceil_div(rows, kRowStep) * kRowStep;
  auto* product = reinterpret_cast<float*>(scratch);
  scratch += aligned_floats(height * panel_width_);
  const float* x = call.x + row * in_;
  if (rows < height && !call.padded) {
    auto* copy = reinterpret_cast<float*>(scratch);
    std::memcpy(copy, x, rows * in_ * sizeof(float));
    std::memset(copy + rows * in_, 0, (height - rows) * in_ * sizeof(float));
    x = copy;
    scratch += aligned_floats(height * in_);
  }
  gemm(panel, height).run(x, packed + panel.offset, product, scratch);

  const int64_t place = row * out_ + panel.begin;
  epilogue({.product = product,
            .bias = bias_ ? reinterpret_cast<const float*>(packed + bias_offset_) + panel.begin
                          : nullptr,
            .residual = call.residual == nullptr ? nullptr : call.residual + place,
            .y = call.y + place,
            .rows = static_cast<size_t>(rows),
            .width = static_cast<size_t>(panel.width),
            .product_stride = static_cast<size_t>(panel.width),
            .stride = static_cast<size_t>(out_),
            .activation = call.activation});
}

}  // namespace headway
