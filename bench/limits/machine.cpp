// Measures the machine's peaks.
#include "bench/limits/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bench/limits/probes.hpp"
#include "engine/base/checked.hpp"
#include "engine/base/function_ref.hpp"
#include "engine/ops/onednn.hpp"
#include "engine/runtime/arena.hpp"
#include "engine/runtime/parallel.hpp"

namespace headway {
namespace {

double seconds(FunctionRef<void()> body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How often a second all the threads of a team together finish work(rank, times): the median of
// windows long enough for waking the team not to count.
double rate(int threads, FunctionRef<void(int, size_t)> work) {
  constexpr double kWindow = 0.02;
  constexpr int kWindows = 7;
  size_t times = 1;
  while (seconds([&] { work(0, times); }) < kWindow) times *= 2;
  std::vector<double> windows;
  for (int i = 0; i < kWindows; ++i) {
    windows.push_back(
        seconds([&] { run_team(threads, [&](Team& team) { work(team.rank(), times); }); }));
  }
  std::nth_element(windows.begin(), windows.begin() + kWindows / 2, windows.end());
  return static_cast<double>(threads) * static_cast<double>(times) / windows[kWindows / 2];
}

double gemm_rate(const PackedGemmShape& shape, int threads) {
  const std::shared_ptr<const Gemm> gemm = packed_gemm(shape);
  const auto aligned = [](size_t bytes) {
    return checked_round_up(bytes, Arena::kAlignment, "bytes of a matrix");
  };
  const auto matrix = [&](int64_t rows, int64_t columns) {
    return aligned(static_cast<size_t>(rows * columns) * sizeof(float));
  };
  const size_t b = matrix(shape.m, shape.k);
  const size_t c = b + aligned(packed_weight_bytes(shape.precision, shape.k, shape.n));
  const size_t scratch = c + matrix(shape.m, shape.n);
  const size_t bytes = scratch + aligned(gemm->scratch_bytes());
  MemoryMeter meter;
  Arena arena(meter);
  std::byte* data = arena.reserve(bytes * static_cast<size_t>(threads));
  // 0.0115 in f32 and bf16, 60 in int8: neither denormal nor close to overflow.
  std::memset(data, 0x3c, bytes * static_cast<size_t>(threads));
  const double products = rate(threads, [&](int rank, size_t times) {
    std::byte* own = data + bytes * static_cast<size_t>(rank);
    for (size_t i = 0; i < times; ++i) gemm->run(own, own + b, own + c, own + scratch);
  });
  return products * 2 * static_cast<double>(shape.m * shape.k * shape.n);
}

Peak measure_gemm_peak(Precision precision, int threads) {
  Peak best;
  // A Linear's tile and panel at the widths of MiniLM and BERT, and larger squares.
  constexpr int64_t kShapes[][3] = {{64, 384, 192},  {64, 768, 192},  {64, 1536, 192},
                                    {256, 256, 256}, {512, 384, 384}, {512, 512, 512}};
  for (const auto& [m, k, n] : kShapes) {
    const double rate = gemm_rate({precision, m, k, n}, threads);
    if (rate <= best.per_second) continue;
    best = {rate, std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n)};
  }
  return best;
}

double measure_read_bandwidth(int threads) {
  constexpr size_t kBytes = size_t{1} << 30;
  MemoryMeter meter;
  Arena arena(meter);
  std::byte* data = arena.reserve(kBytes);
  std::memset(data, 1, kBytes);  // fresh pages would all be one page of zeros
  const size_t part = kBytes / static_cast<size_t>(threads) / 1024 * 1024;
  // Each thread goes on where its last window ended, so that no cache holds what comes.
  std::vector<size_t> places(static_cast<size_t>(threads));
  constexpr size_t kChunk = size_t{1} << 20;
  const double chunks = rate(threads, [&](int rank, size_t times) {
    size_t& place = places[static_cast<size_t>(rank)];
    for (size_t i = 0; i < times; ++i) {
      place = place + 2 * kChunk <= part ? place + kChunk : 0;
      read_probe(data + static_cast<size_t>(rank) * part + place, std::min(kChunk, part));
    }
  });
  return chunks * static_cast<double>(std::min(kChunk, part));
}

}  // namespace

const Peak& gemm_peak(Precision precision, int threads) {
  static std::map<std::pair<Precision, int>, Peak> known;
  const auto [place, fresh] = known.try_emplace({precision, threads});
  if (fresh) place->second = measure_gemm_peak(precision, threads);
  return place->second;
}

double fma_peak(int threads) {
  constexpr size_t kSteps = 10000;
  const auto operations = static_cast<double>(fma_probe(kSteps));
  return operations * rate(threads, [](int, size_t times) {
           for (size_t i = 0; i < times; ++i) fma_probe(kSteps);
         });
}

double read_bandwidth(int threads) {
  static std::map<int, double> known;
  const auto [place, fresh] = known.try_emplace(threads);
  if (fresh) place->second = measure_read_bandwidth(threads);
  return place->second;
}

}  // namespace headway
