// How many cores this process may use: what a container or a batch system allows, not what the
// machine has.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headway {

// The smaller of the calling thread's affinity mask and the CPU quota of the process's cgroups;
// at least 1. Reads /proc and /sys (about 0.1 ms), so ask once and keep the answer.
int usable_cores();

// usable_cores(), lowered by the environment variable OMP_NUM_THREADS when that is smaller.
int default_threads();

// The CPU quota of the process's cgroup and of all cgroups above it, in cores rounded up; the
// smallest counts. Nothing when there is no quota or no cgroups. cgroup v1 (cpu.cfs_quota_us,
// cpu.cfs_period_us) and v2 (cpu.max), found through /proc/self/cgroup and /proc/self/mountinfo;
// `root` stands before every path, for tests. What cannot be read or parsed is no quota.
std::optional<int> cgroup_cores(const std::string& root = "");

// The first number of an OMP_NUM_THREADS list ("8" or "8,2"), nothing when it is no positive
// number.
std::optional<int> first_thread_count(std::string_view list);

}  // namespace headway
