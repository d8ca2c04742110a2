// Repeats, sorts, reports.
#include "engine/cli/bench_loop.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/message.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/progress.hpp"
#include "engine/platform/isa.hpp"

namespace headway::cli {
namespace {

constexpr size_t kMinPasses = 5;

std::string duration(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 1) + " us";
  if (seconds < 1) return fixed(seconds * 1e3, 2) + " ms";
  return fixed(seconds, 3) + " s";
}

double gflops(const BenchTimes& times, double flops) {
  return times.min_s > 0 ? flops / times.min_s * 1e-9 : 0;
}

}  // namespace

BenchTimes time_passes(double seconds, const std::function<void()>& pass) {
  pass();
  std::vector<double> times;
  const Stopwatch total;
  while (times.size() < kMinPasses || total.seconds() < seconds) {
    check_interrupt();
    const Stopwatch watch;
    pass();
    times.push_back(watch.seconds());
  }
  std::sort(times.begin(), times.end());
  const size_t middle = times.size() / 2;
  const double median =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return {times.front(), median, static_cast<int64_t>(times.size())};
}

JsonObjectWriter bench_json(const BenchTimes& times, const EngineInfo& engine, double flops) {
  JsonObjectWriter json;
  json.add("min_s", times.min_s)
      .add("median_s", times.median_s)
      .add("passes", times.passes)
      .add("threads", engine.threads)
      .add("isa", to_string(max_isa()))
      .add("precision", to_string(engine.precision))
      .add("gflops", gflops(times, flops));
  return json;
}

std::string bench_text(const BenchTimes& times, const EngineInfo& engine, double flops) {
  return cat("min ", duration(times.min_s), ", median ", duration(times.median_s), " of ",
             times.passes, " passes; ", fixed(gflops(times, flops), 1), " GFLOP/s (",
             to_string(engine.precision), ", ", engine.threads,
             engine.threads == 1 ? " thread, " : " threads, ", to_string(max_isa()), ")");
}

}  // namespace headway::cli
