// Attention over an array [B, H, T, size]: causal, with grouped keys and a sliding window.
#include <iostream>
#include <vector>

#include "headway/headway.hpp"

int main() {
  using namespace headway;
  // 8 query heads of 64 that share 2 heads of keys, over one sequence of 1000 tokens.
  const std::vector<float> q(8 * 1000 * 64, 0.5f), kv(2 * 1000 * 64, 0.25f);
  std::vector<float> out(q.size());
  const auto keys = StridedView::dense(kv.data(), {1, 2, 1000, 64});
  attention(StridedView::dense(q.data(), {1, 8, 1000, 64}), keys, keys,
            MutableStridedView::dense(out.data(), {1, 8, 1000, 64}),
            {.causal = true, .left_window = 256});
  std::cout << "the first of " << out.size() << " numbers: " << out[0] << "\n";
}
