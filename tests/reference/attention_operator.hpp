// Oracle: headway::attention with all its options, in scalar double precision.
#pragma once

#include <array>
#include <vector>

#include "headway/attention.hpp"

namespace headway::reference {

struct AttentionOutputs {
  std::vector<double> out;                    // [B, H, Tq, value_size]
  std::array<std::vector<double>, 4> scores;  // after each ScoreStage: [B, H, Tq, P + Tk]
  std::vector<double> present_key;            // [B, KV, P + Tk, size]
  std::vector<double> present_value;          // [B, KV, P + Tk, value_size]

  const std::vector<double>& after(ScoreStage stage) const {
    return scores[static_cast<size_t>(stage)];
  }
};

// All that headway::attention could be asked for with these arguments, which must fit; those that
// say where to write, and how, mean nothing here. q, k, v and the past may be f64 too.
AttentionOutputs attention(const StridedView& q, const StridedView& k, const StridedView& v,
                           const AttentionOptions& options = {});

}  // namespace headway::reference
