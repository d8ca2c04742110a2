// Which of the compiled kernel variants (SIMD targets) run on this CPU, and how to hold them back.
//
// The kernels are compiled once per target and chosen at the first call. The choice is one per
// process: change it only before the first kernel runs or while none is running.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace headway {

// Levels the kernels can be held to, in rising order. They are levels of x86-64; other
// architectures support none of them and always run their best target.
enum class KernelIsa { sse4, avx2, avx512 };

// The target the next kernel call runs, by its Highway name: "AVX3", "AVX2", "SSE4", "NEON", ...
std::string kernel_target();

// The levels this CPU can run and this build has kernels for, in rising order. Not affected by
// disable_kernel_targets_above.
std::vector<KernelIsa> supported_kernel_isas();

// Lets kernels use targets up to `isa` and no better one, from the next call on; a later call
// replaces the earlier one. Throws Error(unsupported) when supported_kernel_isas() lacks `isa`.
void disable_kernel_targets_above(KernelIsa isa);

// Calls visit(name) once for each target this CPU can run and that is not disabled, best first,
// while kernels run that target; then returns to the best one, also when `visit` throws. For
// tests.
void for_each_target(const std::function<void(const std::string& name)>& visit);

}  // namespace headway
