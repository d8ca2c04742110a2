// What a call of attention() must hold to.
#pragma once

#include <cstdint>

#include "headway/attention.hpp"

namespace headway {

struct AttentionSizes {
  int64_t batch, heads, kv_heads, queries, past, keys, size, value_size;
  int64_t scores;  // elements of [B, H, Tq, P + Tk]

  int64_t all_keys() const { return past + keys; }
};

// The sizes of a call that can be run; else Error(invalid_argument) that names the argument, what
// was expected and what came, or Error(limit) where sizes overflow.
AttentionSizes check(const StridedView& q, const StridedView& k, const StridedView& v,
                     const MutableStridedView& out, const AttentionOptions& options);

}  // namespace headway
