// One switch for all arithmetic.
#include "engine/ops/instruction_set.hpp"

#include "engine/kernels/targets.hpp"
#include "engine/platform/isa.hpp"

namespace headway {

void hold_instruction_set() {
  static const bool held = [] {
    switch (max_isa()) {
      case Isa::native:
        break;
      case Isa::sse4:
        disable_kernel_targets_above(KernelIsa::sse4);
        break;
      case Isa::avx2:
        disable_kernel_targets_above(KernelIsa::avx2);
        break;
      default:
        disable_kernel_targets_above(KernelIsa::avx512);
        break;
    }
    return true;
  }();
  (void)held;
}

}  // namespace headway
