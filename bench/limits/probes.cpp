// The loops, for every SIMD target.
#include "bench/limits/probes.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/limits/probes.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// 12 chains: two units with a latency of 4 or 5 cycles are never idle, and 16 registers hold them.
size_t fma_loop(size_t steps) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.5f), term = hn::Set(d, 1.0f);
  // From different numbers, or the compiler keeps one chain for all.
  auto a = hn::Set(d, 1.0f), b = hn::Set(d, 2.0f), c = hn::Set(d, 3.0f), e = hn::Set(d, 4.0f);
  auto f = hn::Set(d, 5.0f), g = hn::Set(d, 6.0f), h = hn::Set(d, 7.0f), i = hn::Set(d, 8.0f);
  auto j = hn::Set(d, 9.0f), k = hn::Set(d, 10.0f), l = hn::Set(d, 11.0f), m = hn::Set(d, 12.0f);
  for (size_t step = 0; step < steps; ++step) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
    l = hn::MulAdd(l, factor, term);
    m = hn::MulAdd(m, factor, term);
  }
  const auto sum = hn::Add(
      hn::Add(hn::Add(a, b), hn::Add(c, e)),
      hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
  benchmark::DoNotOptimize(hn::GetLane(sum));
  return steps * 12 * 2 * hn::Lanes(d);
}

void read_loop(const std::byte* data, size_t bytes) {
  const hn::ScalableTag<uint64_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (size_t i = 0; i < bytes / sizeof(uint64_t); i += 4 * lanes) {
    a = hn::Or(a, hn::Load(d, words + i));
    b = hn::Or(b, hn::Load(d, words + i + lanes));
    c = hn::Or(c, hn::Load(d, words + i + 2 * lanes));
    e = hn::Or(e, hn::Load(d, words + i + 3 * lanes));
  }
  benchmark::DoNotOptimize(hn::GetLane(hn::Or(hn::Or(a, b), hn::Or(c, e))));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(fma_loop);
HWY_EXPORT(read_loop);

size_t fma_probe(size_t steps) {
  return HWY_DYNAMIC_DISPATCH(fma_loop)(steps);
}

void read_probe(const std::byte* data, size_t bytes) {
  HWY_DYNAMIC_DISPATCH(read_loop)(data, bytes);
}

}  // namespace headway
#endif
