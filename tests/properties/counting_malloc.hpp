// Counts what is allocated while somebody watches, on all threads: Headway's own and oneDNN's.
#pragma once

#include <cstddef>

namespace headway {

struct Allocations {
  size_t ours = 0;
  size_t onednn = 0;  // made inside a call to oneDNN, as engine/ops/onednn.hpp marks it
};

// From here on, until stop_counting().
void start_counting();
Allocations stop_counting();

}  // namespace headway
