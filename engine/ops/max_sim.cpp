// MaxSim through the product with packed weights, which here are a query.
#include "engine/ops/max_sim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/checked.hpp"
#include "engine/ops/instruction_set.hpp"

namespace headway {
namespace {

constexpr size_t kBlock = 16;

size_t packed_elements(size_t tokens, size_t dim) {
  const size_t width = checked_round_up<size_t>(tokens, 64, "tokens of a query");
  return checked_mul(width, checked_round_up<size_t>(dim, 16, "dim"), "numbers of a query");
}

AlignedMemory allocate_floats(size_t count) {
  return allocate_aligned(checked_mul(count, sizeof(float), "bytes of a query"), "MaxSim");
}

}  // namespace

MaxSim::MaxSim(std::span<const float> query, size_t dim)
    : blocks_{dim, query.size() / dim, kBlock},
      packed_(allocate_floats(packed_elements(blocks_.width, dim))),
      scratch_(allocate_floats(checked_mul(blocks_.width, kTokens + 1, "products"))) {
  hold_instruction_set();
  pack_blocks(query.data(), blocks_, reinterpret_cast<float*>(packed_.get()));
}

double MaxSim::of(std::span<const float> document) {
  constexpr double kNothing = -1e9;
  const size_t dim = blocks_.in, queries = blocks_.width, tokens = document.size() / dim;
  if (tokens == 0) return kNothing;
  auto* products = reinterpret_cast<float*>(scratch_.get());
  float* greatest = products + kTokens * queries;
  std::fill_n(greatest, queries, -std::numeric_limits<float>::infinity());
  for (size_t first = 0; first < tokens; first += kTokens) {
    const size_t rows = std::min(kTokens, tokens - first);
    packed_product({.x = document.data() + first * dim,
                    .weights = reinterpret_cast<const float*>(packed_.get()),
                    .y = products,
                    .rows = rows,
                    .in = dim,
                    .width = queries,
                    .chunk = dim,
                    .block = kBlock});
    for (size_t row = 0; row < rows; ++row)
      for (size_t i = 0; i < queries; ++i) {
        const float product = products[row * queries + i];
        // A NaN stays: no number is greater.
        greatest[i] = product > greatest[i] || std::isnan(product) ? product : greatest[i];
      }
  }
  double sum = 0;
  for (size_t i = 0; i < queries; ++i) sum += greatest[i];
  return sum;
}

}  // namespace headway
