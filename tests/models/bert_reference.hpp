// Oracle: BERT (Devlin et al., 2018) over one sequence, in scalar double precision.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/models/tiny_model.hpp"
#include "tests/reference/attention.hpp"
#include "tests/reference/functions.hpp"

namespace headway::reference {

struct BertResult {
  std::vector<double> hidden;     // the last hidden state, [tokens, dim]
  std::vector<double> attention;  // [layers, heads, tokens, tokens]
};

// What `model`, whose tensors have their usual names, makes of a sequence.
inline BertResult bert(const TinyModel& model, size_t layers, const std::vector<int32_t>& ids,
                       const std::vector<int32_t>& type_ids,
                       const std::function<double(double)>& activation, double epsilon = 1e-12) {
  constexpr size_t kDim = TinyModel::kDim;
  const size_t tokens = ids.size();
  const auto tensor = [&](const std::string& name) { return widen(model.tensors.at(name).values); };
  const auto linear_of = [&](const std::vector<double>& x, const std::string& name) {
    return linear(x, tokens, tensor(name + ".weight"), tensor(name + ".bias"));
  };
  const auto norm = [&](const std::vector<double>& x, const std::string& name) {
    std::vector<double> y;
    for (size_t t = 0; t < tokens; ++t) {
      const auto row = layer_norm(std::span(x).subspan(t * kDim, kDim), tensor(name + ".weight"),
                                  tensor(name + ".bias"), epsilon);
      y.insert(y.end(), row.begin(), row.end());
    }
    return y;
  };
  const auto sum = [](std::vector<double> a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };

  const auto words = tensor("embeddings.word_embeddings.weight");
  const auto types = tensor("embeddings.token_type_embeddings.weight");
  const auto positions = tensor("embeddings.position_embeddings.weight");
  std::vector<double> x(tokens * kDim);
  for (size_t t = 0; t < tokens; ++t)
    for (size_t d = 0; d < kDim; ++d)
      x[t * kDim + d] = words[static_cast<size_t>(ids[t]) * kDim + d] +
                        types[static_cast<size_t>(type_ids[t]) * kDim + d] +
                        positions[t * kDim + d];
  x = norm(x, "embeddings.LayerNorm");

  std::vector<double> weights;
  for (size_t layer = 0; layer < layers; ++layer) {
    const std::string at = cat("encoder.layer.", layer, ".");
    const auto q = linear_of(x, at + "attention.self.query");
    const auto k = linear_of(x, at + "attention.self.key");
    const auto v = linear_of(x, at + "attention.self.value");
    constexpr size_t kSize = kDim / TinyModel::kHeads;
    const auto attended =
        attention({q.data(), tokens, kDim}, {k.data(), tokens, kDim}, {v.data(), tokens, kDim},
                  TinyModel::kHeads, kSize, 1 / std::sqrt(static_cast<double>(kSize)));
    weights.insert(weights.end(), attended.weights.begin(), attended.weights.end());
    x = norm(sum(linear_of(attended.output, at + "attention.output.dense"), x),
             at + "attention.output.LayerNorm");
    auto inner = linear_of(x, at + "intermediate.dense");
    for (double& value : inner) value = activation(value);
    x = norm(sum(linear_of(inner, at + "output.dense"), x), at + "output.LayerNorm");
  }
  return {x, weights};
}

}  // namespace headway::reference
