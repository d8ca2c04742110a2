// Rules for attention scores, drawn at random, and what they mean, in scalar double precision.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "engine/kernels/score_rule.hpp"
#include "tests/kernels/guarded.hpp"
#include "tests/kernels/kernel_test.hpp"

namespace headway::test {

// For up to `heads` heads, `queries` queries and `keys` keys; each part is there or not. Guard
// pages end the tensors where the last key does.
struct RandomRule {
  RandomRule(std::mt19937& random, size_t heads, size_t queries, size_t keys)
      : mask_(heads * queries * keys),
        bias_(normal_values(heads * queries * keys, 0, 1, random()), Guard::behind),
        relative_(normal_values(heads * 21, 0, 1, random()), Guard::behind),
        slopes_(normal_values(heads, 0, 1, random())) {
    const auto chance = [&](unsigned n) { return random() % n == 0; };
    if (chance(2)) rule.scale = 0.3f;
    if (chance(8)) rule.scale = -0.5f;
    if (chance(3)) rule.softcap = 1.5f;
    if (chance(2)) rule.position = static_cast<ptrdiff_t>(random() % 40) - 10;
    if (chance(2)) rule.last = chance(2) ? 0 : static_cast<ptrdiff_t>(random() % 20);
    if (chance(3)) rule.first = -static_cast<ptrdiff_t>(random() % 30);
    if (chance(5)) rule.visible_keys = random() % (keys + 1);
    const auto stride = [&](size_t n) { return chance(4) ? 0 : static_cast<ptrdiff_t>(n); };
    if (chance(3)) {
      for (uint8_t& byte : mask_) byte = chance(3) ? 0 : 1 + random() % 2 * 254;
      rule.mask = {mask_.data(), stride(queries * keys), stride(keys), chance(6) ? 0 : 1};
    }
    if (chance(3)) {
      for (size_t i = 0; i < heads * queries * keys; ++i)
        if (chance(5)) bias_.data()[i] = -kInfinity;
      rule.bias = {bias_.data(), stride(queries * keys), stride(keys), chance(6) ? 0 : 1};
    }
    if (chance(3)) rule.slopes = slopes_.data();
    if (chance(3)) {
      rule.relative = relative_.data();
      rule.relative_head = chance(3) ? 0 : 21;
      rule.radius = 10;
    }
  }
  RandomRule(const RandomRule&) = delete;
  RandomRule& operator=(const RandomRule&) = delete;

  ScoreRule rule;

 private:
  std::vector<uint8_t> mask_;
  Guarded bias_, relative_;
  std::vector<float> slopes_;
};

// What the rule makes of the scores of all keys.
inline std::vector<double> expected_scores(const ScoreRule& rule, size_t head, size_t query,
                                           std::vector<double> scores) {
  for (size_t key = 0; key < scores.size(); ++key) {
    double& s = scores[key];
    const auto distance =
        static_cast<ptrdiff_t>(key) - static_cast<ptrdiff_t>(query) - rule.position;
    s *= double{rule.scale};
    if (rule.softcap > 0) s = double{rule.softcap} * std::tanh(s / double{rule.softcap});
    if (rule.bias.data != nullptr)
      s += double{rule.bias.row(head, query)[static_cast<ptrdiff_t>(key) * rule.bias.key]};
    if (rule.slopes != nullptr)
      s -= double{rule.slopes[head]} * static_cast<double>(std::abs(distance));
    if (rule.relative != nullptr) {
      const ptrdiff_t nearest = std::clamp(distance, -rule.radius, rule.radius);
      s += double{
          rule.relative[static_cast<ptrdiff_t>(head) * rule.relative_head + rule.radius + nearest]};
    }
    const bool masked =
        rule.mask.data != nullptr &&
        rule.mask.row(head, query)[static_cast<ptrdiff_t>(key) * rule.mask.key] == 0;
    if (masked || distance < rule.first || distance > rule.last || key >= rule.visible_keys)
      s = double{-kInfinity};
  }
  return scores;
}

}  // namespace headway::test
