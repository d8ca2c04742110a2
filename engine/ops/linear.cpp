// Tiles and panels of a Linear.
#include "engine/ops/linear.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/base/convert.hpp"
#include "engine/kernels/epilogue.hpp"
#include "engine/kernels/packed_product.hpp"
#include "engine/kernels/quantize.hpp"
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

PackedLinear::PackedLinear(Precision precision, int64_t in, int64_t out, bool bias)
    : precision_(precision), in_(in), out_(out), bias_(bias) {
  checked_mul(in, out, "elements of a weight");
  // Panels of equal width, in whole vectors, but for the last.
  panel_width_ = std::min(out, ceil_div(ceil_div(out, ceil_div(out, kPanel)), 16) * 16);
  panels_ = ceil_div(out, panel_width_);
  const auto bytes = [&](int64_t width) {
    return checked_round_up(weight_bytes(width), Arena::kAlignment, "packed weights");
  };
  panel_bytes_ = bytes(panel_width_);
  last_panel_bytes_ = bytes(out - (panels_ - 1) * panel_width_);
  bias_offset_ = checked_add(checked_mul(panel_bytes_, panels_ - 1, "packed weights"),
                             last_panel_bytes_, "packed weights");
  scale_offset_ = checked_add(bias_offset_, bias_ ? aligned_floats(out_) : 0, "packed weights");
  const size_t column = precision_ == Precision::int8 ? aligned_floats(out_) : 0;
  sum_offset_ = checked_add(scale_offset_, column, "packed weights");
  chunk_offset_ = checked_add(sum_offset_, column, "packed weights");
  packed_bytes_ = checked_add(chunk_offset_, Arena::kAlignment, "packed weights");
}

PackedBlocks PackedLinear::own_blocks(int64_t width) const {
  return {static_cast<size_t>(in_), static_cast<size_t>(width), kOwnBlock};
}

size_t PackedLinear::weight_bytes(int64_t width) const {
  if (!own()) return packed_weight_bytes(precision_, in_, width);
  checked_mul(checked_add(in_, 15, "packed weights"), checked_add(width, 63, "packed weights"),
              "packed weights");
  return checked_mul(own_blocks(width).elements(), sizeof(float), "packed weights");
}

int64_t PackedLinear::round_up_rows(int64_t rows) const {
  const int64_t step = fixed_rows() ? kFixedRows : kRowStep;
  return ceil_div(rows, step) * step;
}

PackedLinear::Panel PackedLinear::panel(int64_t index) const {
  const int64_t begin = index * panel_width_;
  return {begin, std::min(panel_width_, out_ - begin), panel_bytes_ * index, index == panels_ - 1};
}

const Gemm& PackedLinear::gemm(const Panel& panel, int64_t height) const {
  Product& product = products_[panel.last][height / kRowStep - 1];
  std::call_once(product.once, [&] {
    product.gemm = packed_gemm({precision_, height, in_, panel.width});
  });
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
    pack_panel(panel, std::span(rows).first(panel.width * in_), packed);
  }
  auto* chunks = reinterpret_cast<int64_t*>(packed + chunk_offset_);
  chunks[false] = find_chunk(panel(0), packed);
  chunks[true] = find_chunk(panel(panels_ - 1), packed);
  auto* bias = reinterpret_cast<float*>(packed + bias_offset_);
  for (const LinearWeights& part : parts) {
    part.weight.done();
    if (!bias_) continue;
    read_f32(part.bias.view(), 0, part.bias.shape()[0], bias);
    bias += part.bias.shape()[0];
  }
}

void PackedLinear::pack_panel(const Panel& panel, std::span<float> weights,
                              std::byte* packed) const {
  std::byte* to = packed + panel.offset;
  switch (precision_) {
    case Precision::f32:
      if (own()) {
        return pack_blocks(weights.data(), own_blocks(panel.width), reinterpret_cast<float*>(to));
      }
      return pack_weight(precision_, weights.data(), in_, panel.width, to);
    case Precision::bf16: {
      std::vector<uint16_t> rounded(weights.size());
      to_bf16(weights.data(), weights.size(), rounded.data());
      return pack_weight(precision_, rounded.data(), in_, panel.width, to);
    }
    case Precision::int8: {
      std::vector<int8_t> rounded(weights.size());
      auto* scales = reinterpret_cast<float*>(packed + scale_offset_) + panel.begin;
      auto* sums = reinterpret_cast<int32_t*>(packed + sum_offset_) + panel.begin;
      for (int64_t output = 0; output < panel.width; ++output) {
        int8_t* row = &rounded[output * in_];
        scales[output] = to_int8(&weights[output * in_], in_, row);
        sums[output] = std::accumulate(row, row + in_, int32_t{0});
      }
      return pack_weight(precision_, rounded.data(), in_, panel.width, to);
    }
  }
}

int64_t PackedLinear::find_chunk(const Panel& panel, const std::byte* packed) const {
  if (own()) return in_;
  if (precision_ != Precision::f32 || !packed_in_blocks_of_64(in_, panel.width)) return 0;
  const Gemm& product = gemm(panel, kRowStep);
  std::vector<float> x(kRowStep * in_), expected(kRowStep * panel.width), y(expected.size());
  uint32_t random = 1;
  for (float& value : x) {
    random = random * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<int32_t>(random)) * 0x1p-31f;
  }
  std::vector<std::byte> scratch(product.scratch_bytes());
  product.run(x.data(), packed + panel.offset, expected.data(), scratch.data());
  // oneDNN 3.2 and 3.7 cut long sums so.
  for (const int64_t chunk : {std::min<int64_t>(in_, in_ > 1024 ? 1024 : 512), in_}) {
    packed_product({.x = x.data(),
                    .weights = reinterpret_cast<const float*>(packed + panel.offset),
                    .y = y.data(),
                    .rows = kRowStep,
                    .in = static_cast<size_t>(in_),
                    .width = static_cast<size_t>(panel.width),
                    .chunk = static_cast<size_t>(chunk)});
    if (std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0) return chunk;
  }
  return 0;
}

bool PackedLinear::thin(const std::byte* packed) const {
  return chunks(packed)[false] > 0 && chunks(packed)[true] > 0;
}

PackedLinear::Scratch PackedLinear::layout(int64_t rows) const {
  const int64_t tile = std::min(tile_rows(), round_up_rows(rows));
  Scratch at{};
  at.rows = aligned_floats(checked_mul(tile, panel_width_, "scratch"));
  at.row_scales =
      checked_add(at.rows, aligned_floats(checked_mul(tile, in_, "scratch")), "scratch");
  at.row_zeros = checked_add(at.row_scales, aligned_floats(tile), "scratch");
  at.gemm = checked_add(at.row_zeros, aligned_floats(tile), "scratch");
  at.end = at.gemm;
  return at;
}

size_t PackedLinear::thread_scratch(int64_t rows) const {
  if (rows == 0) return 0;
  if (own()) return layout(rows).end;
  const int64_t tile = std::min(tile_rows(), round_up_rows(rows));
  const int64_t tail = round_up_rows(rows % tile);
  size_t product = 0;
  for (int64_t p : {int64_t{0}, panels_ - 1}) {
    for (int64_t height : {tile, tail}) {
      if (height > 0) product = std::max(product, gemm(panel(p), height).scratch_bytes());
    }
  }
  return checked_add(layout(rows).end, product, "scratch");
}

void PackedLinear::run(Team& team, const LinearCall& call, const std::byte* packed,
                       std::byte* scratch) const {
  const int64_t tiles = ceil_div(call.rows, tile_rows());
  const Scratch at = layout(call.rows);
  int64_t copied_row = -1;  // the first row of the tile that this thread's scratch holds
  team.for_each(tiles * panels_, [&](int64_t item) {
    // In f32 panel by panel, so that a thread keeps a panel in cache while the rows pass; else tile
    // by tile, since a tile has to be rounded first, and the panels are half as large or less.
    const bool panel_first = precision_ == Precision::f32;
    const int64_t tile = panel_first ? item % tiles : item / panels_;
    const int64_t p = panel_first ? item / tiles : item % panels_;
    run_tile(call, tile * tile_rows(), panel(p), packed, at, copied_row, scratch);
    if (team.size() == 1 && p == panels_ - 1) normalize(call, tile * tile_rows(), tile_rows());
  });
  if (team.size() == 1 || call.norm == nullptr) return;
  team.for_each(ceil_div(call.rows, kRowStep),
                [&](int64_t step) { normalize(call, step * kRowStep, kRowStep); });
}

void PackedLinear::normalize(const LinearCall& call, int64_t row, int64_t rows) const {
  if (call.norm == nullptr) return;
  float* y = call.y + row * out_;
  layer_norm(y, std::min(rows, call.rows - row), out_, *call.norm, y);
}

bool PackedLinear::copy_rows(const LinearCall& call, int64_t row, int64_t rows, int64_t height,
                             const Scratch& at, std::byte* scratch) const {
  const float* x = call.x + row * in_;
  std::byte* to = scratch + at.rows;
  size_t element = sizeof(float);
  if (precision_ == Precision::f32) {
    if (rows == height || call.padded) return false;
    std::memcpy(to, x, rows * in_ * sizeof(float));
  } else if (precision_ == Precision::bf16) {
    element = sizeof(uint16_t);
    to_bf16(x, rows * in_, reinterpret_cast<uint16_t*>(to));
  } else {
    element = sizeof(uint8_t);
    auto* scales = reinterpret_cast<float*>(scratch + at.row_scales);
    auto* zeros = reinterpret_cast<int32_t*>(scratch + at.row_zeros);
    for (int64_t r = 0; r < rows; ++r) {
      const ByteScale row_scale =
          to_uint8(x + r * in_, in_, reinterpret_cast<uint8_t*>(to) + r * in_);
      scales[r] = row_scale.scale;
      zeros[r] = row_scale.zero;
    }
  }
  std::memset(to + rows * in_ * element, 0, (height - rows) * in_ * element);
  return true;
}

void PackedLinear::multiply(const LinearCall& call, int64_t row, int64_t rows, const Panel& panel,
                            const std::byte* packed, const Scratch& at, int64_t& copied_row,
                            std::byte* scratch) const {
  const std::byte* weights = packed + panel.offset;
  const int64_t chunk = own() || call.rows <= kThinRows ? chunks(packed)[panel.last] : 0;
  if (chunk > 0) {
    packed_product({.x = call.x + row * in_,
                    .weights = reinterpret_cast<const float*>(weights),
                    .y = reinterpret_cast<float*>(scratch + at.product),
                    .rows = static_cast<size_t>(rows),
                    .in = static_cast<size_t>(in_),
                    .width = static_cast<size_t>(panel.width),
                    .chunk = static_cast<size_t>(chunk),
                    .block = own() ? kOwnBlock : 64});
    return;
  }
  const int64_t height = round_up_rows(rows);
  if (copied_row == row || copy_rows(call, row, rows, height, at, scratch)) copied_row = row;
  const void* x =
      copied_row == row ? static_cast<const void*>(scratch + at.rows) : call.x + row * in_;
  gemm(panel, height).run(x, weights, scratch + at.product, scratch + at.gemm);
}

void PackedLinear::run_tile(const LinearCall& call, int64_t row, const Panel& panel,
                            const std::byte* packed, const Scratch& at, int64_t& copied_row,
                            std::byte* scratch) const {
  const int64_t rows = std::min(tile_rows(), call.rows - row);
  multiply(call, row, rows, panel, packed, at, copied_row, scratch);
  const auto column = [&](size_t offset) { return packed + offset + panel.begin * sizeof(float); };
  ByteProduct bytes;
  if (precision_ == Precision::int8) {
    bytes = {.row_scales = reinterpret_cast<const float*>(scratch + at.row_scales),
             .row_zeros = reinterpret_cast<const int32_t*>(scratch + at.row_zeros),
             .column_scales = reinterpret_cast<const float*>(column(scale_offset_)),
             .column_sums = reinterpret_cast<const int32_t*>(column(sum_offset_))};
  }
  const int64_t place = row * out_ + panel.begin;
  epilogue({.product = scratch + at.product,
            .bytes = bytes,
            .bias = bias_ ? reinterpret_cast<const float*>(column(bias_offset_)) : nullptr,
            .residual = call.residual == nullptr ? nullptr : call.residual + place,
            .y = call.y + place,
            .rows = static_cast<size_t>(rows),
            .width = static_cast<size_t>(panel.width),
            .product_stride = static_cast<size_t>(panel.width),
            .stride = static_cast<size_t>(out_),
            .activation = call.activation});
}

}  // namespace headway
