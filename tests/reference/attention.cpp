// Oracles: attention of one sequence and the MultiHead layer, in scalar double precision.
#include "tests/reference/attention.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/reference/functions.hpp"

namespace headway::reference {

AttentionResult attention(const Rows& q, const Rows& k, const Rows& v, size_t heads, size_t size,
                          double scale) {
  AttentionResult result;
  result.output.resize(q.count * heads * size);
  for (size_t head = 0; head < heads; ++head) {
    const size_t first = head * size;
    for (size_t i = 0; i < q.count; ++i) {
      std::vector<double> scores(k.count);
      for (size_t j = 0; j < k.count; ++j)
        for (size_t c = first; c < first + size; ++c)
          scores[j] += q.data[i * q.stride + c] * k.data[j * k.stride + c];
      const std::vector<double> row = softmax(scores, scale);
      result.weights.insert(result.weights.end(), row.begin(), row.end());
      for (size_t j = 0; j < k.count; ++j)
        for (size_t c = first; c < first + size; ++c)
          result.output[i * heads * size + c] += row[j] * v.data[j * v.stride + c];
    }
  }
  return result;
}

AttentionResult multi_head(std::span<const double> x, std::span<const size_t> lengths, size_t heads,
                           const MultiHeadWeights& weights) {
  const size_t rows = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  if (rows == 0) return {};
  const size_t dim = x.size() / rows;
  if (dim * rows != x.size() || dim % heads != 0)
    throw std::invalid_argument("reference::multi_head: sizes do not fit");
  const size_t size = dim / heads;
  const std::vector<double> qkv = linear(x, rows, weights.qkv_weight, weights.qkv_bias);

  AttentionResult result;
  std::vector<double> mixed;
  const double* sequence = qkv.data();
  for (const size_t length : lengths) {
    const auto part = [&](size_t which) { return Rows{sequence + which * dim, length, 3 * dim}; };
    const AttentionResult one =
        attention(part(0), part(1), part(2), heads, size, 1 / std::sqrt(static_cast<double>(size)));
    mixed.insert(mixed.end(), one.output.begin(), one.output.end());
    result.weights.insert(result.weights.end(), one.weights.begin(), one.weights.end());
    sequence += length * 3 * dim;
  }
  result.output = linear(mixed, rows, weights.out_weight, weights.out_bias);
  return result;
}

}  // namespace headway::reference
