// What the machine can do at most with some threads at once.
#pragma once

#include <string>

#include "headway/operations.hpp"

namespace headway {

struct Peak {
  double per_second = 0;
  std::string at;  // the shape it was reached with
};

// Operations a second in packed products, each thread with its own data in cache: the best of the
// shapes Linear layers use and some larger ones, each the median of some windows. The limit that
// layers are held against: on Zen 4 in f32 98 % of fma_peak(). Measured once in a process for each
// precision and number of threads.
const Peak& gemm_peak(Precision precision, int threads);

// f32 operations a second between registers: what no product can exceed.
double fma_peak(int threads);

// Bytes a second that the threads read together from memory, each from its own part of a block far
// larger than the caches. Measured once in a process for each number of threads.
double read_bandwidth(int threads);

}  // namespace headway
