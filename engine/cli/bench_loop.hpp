// Timing for `headway bench`: the same pass again and again in one process.
#pragma once

#include <functional>
#include <string>

#include "engine/formats/json_writer.hpp"
#include "headway/engine.hpp"

namespace headway::cli {

struct BenchTimes {
  double min_s = 0;
  double median_s = 0;
  int64_t passes = 0;
};

// One pass to warm up, then passes until both `seconds` are over and 5 passes are done: the
// minimum of fewer says little.
BenchTimes time_passes(double seconds, const std::function<void()>& pass);

// What every result holds: min_s, median_s, passes, threads, isa, precision, gflops (of the
// fastest pass). `flops` is of one pass.
JsonObjectWriter bench_json(const BenchTimes& times, const EngineInfo& engine, double flops);

// "min 8.21 ms, median 8.30 ms of 361 passes; 12.3 GFLOP/s (f32, 2 threads, avx512)"
std::string bench_text(const BenchTimes& times, const EngineInfo& engine, double flops);

}  // namespace headway::cli
