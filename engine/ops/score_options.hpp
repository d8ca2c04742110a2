// What AttentionOptions and MultiHeadOptions say about scores in the same words: their checks, and
// the rule that follows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/message.hpp"
#include "engine/kernels/score_rule.hpp"
#include "headway/tensor.hpp"

namespace headway {

// Error(invalid_argument) that names the option; `where` stands before it.
template <typename Options>
void check_score_options(const Options& options, int64_t heads, const char* where) {
  const auto refuse = [where](const auto&... parts) {
    fail(ErrorCode::invalid_argument, where, parts...);
  };
  if (options.scale && !std::isfinite(*options.scale))
    refuse("scale is ", *options.scale, ", expected a finite number");
  if (!(options.softcap >= 0) || !std::isfinite(options.softcap))
    refuse("softcap is ", options.softcap, ", expected a number above 0, or 0 for none");
  const auto check_window = [&](const char* name, const std::optional<int64_t>& window) {
    if (window && *window < 0) refuse(name, " is ", *window, ", expected at least 0");
  };
  check_window("left_window", options.left_window);
  check_window("right_window", options.right_window);
  const auto& slopes = options.alibi_slopes;
  if (!slopes.empty() && static_cast<int64_t>(slopes.size()) != heads)
    refuse("alibi_slopes has ", slopes.size(), " numbers, expected one for each of ", heads,
           " heads");
  for (const float slope : slopes)
    if (!std::isfinite(slope)) refuse("alibi_slopes has ", slope, ", expected finite numbers");
}

// Error unless the shape is that of a relative bias; `name` is for the message.
inline void check_relative_bias(const Shape& shape, int64_t heads, const std::string& name) {
  if (shape.rank() == 2 && (shape[0] == 1 || shape[0] == heads) && shape[1] % 2 == 1) return;
  fail(ErrorCode::invalid_argument, name, " has the shape ", shape.to_string(), ", expected [1 or ",
       heads, ", an odd number]");
}

// Scale, soft cap and band; positions and tensors are each sequence's own.
template <typename Options>
ScoreRule score_rule(const Options& options, int64_t size) {
  constexpr ptrdiff_t kFar = ScoreRule::kUnbounded / 4;
  ScoreRule rule;
  rule.scale = options.scale.value_or(1.0f / std::sqrt(static_cast<float>(size)));
  rule.softcap = options.softcap;
  if (options.left_window) rule.first = -std::min<ptrdiff_t>(*options.left_window, kFar);
  if (options.right_window) rule.last = std::min<ptrdiff_t>(*options.right_window, kFar);
  if (options.causal) rule.last = 0;
  return rule;
}

}  // namespace headway
