// Which of the compiled kernel variants run on this CPU, in terms of Highway's target bits.
#include "engine/kernels/targets.hpp"

#include <cstdint>

#include "engine/base/message.hpp"
#include "hwy/targets.h"

namespace headway {
namespace {

// The best (lowest) target bit of an ISA level; among the bits of one architecture a lower one is
// the better target.
int64_t target_bit(KernelIsa isa) {
  switch (isa) {
    case KernelIsa::sse4:
      return HWY_SSE4;
    case KernelIsa::avx2:
      return HWY_AVX2;
    case KernelIsa::avx512:
      return HWY_AVX3;
  }
  return 0;
}

const char* isa_name(KernelIsa isa) {
  switch (isa) {
    case KernelIsa::sse4:
      return "sse4";
    case KernelIsa::avx2:
      return "avx2";
    case KernelIsa::avx512:
      return "avx512";
  }
  return "?";
}

// What the CPU has and the build compiled, whatever is disabled later: every function that
// disables targets asks this first.
int64_t detected_targets() {
  static const int64_t detected = hwy::SupportedTargets() & HWY_TARGETS;
  return detected;
}

// What kernels may use now. Asking Highway 1.0.3 makes it choose among all targets, the disabled
// ones too, so the choice is made again among those allowed.
int64_t allowed_targets() {
  const int64_t targets = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(targets);
  return targets & HWY_TARGETS;
}

// Ends a forced choice when a visit returns or throws.
struct ForcedTarget {
  explicit ForcedTarget(int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~ForcedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

}  // namespace

std::string kernel_target() {
  const int64_t targets = allowed_targets();
  return hwy::TargetName(targets & -targets);
}

std::vector<KernelIsa> supported_kernel_isas() {
  std::vector<KernelIsa> isas;
  for (const KernelIsa isa : {KernelIsa::sse4, KernelIsa::avx2, KernelIsa::avx512})
    if (detected_targets() & target_bit(isa)) isas.push_back(isa);
  return isas;
}

void disable_kernel_targets_above(KernelIsa isa) {
  if (!(detected_targets() & target_bit(isa))) {
    std::string supported;
    for (const KernelIsa each : supported_kernel_isas())
      supported += (supported.empty() ? "" : ", ") + std::string(isa_name(each));
    fail(ErrorCode::unsupported, "kernels cannot be held to ", isa_name(isa),
         ": this CPU and build support ", supported.empty() ? "no such level" : supported);
  }
  // Highway splits AVX-512 into several targets (AVX3, AVX3_DL, ...); the level takes them all.
  const int64_t better = isa == KernelIsa::avx512 ? 0 : target_bit(isa) - 1;
  hwy::DisableTargets(better);  // also forgets the choice made so far
}

void for_each_target(const std::function<void(const std::string& name)>& visit) {
  detected_targets();
  const int64_t all = allowed_targets();
  for (int64_t rest = all; rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    const ForcedTarget forced(target);
    visit(hwy::TargetName(target));
  }
}

}  // namespace headway
