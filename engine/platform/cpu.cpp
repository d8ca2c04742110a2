// Counts the cores that the affinity mask, the cgroup quota and OMP_NUM_THREADS leave.
#include "engine/platform/cpu.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "engine/platform/file.hpp"
#include "headway/error.hpp"

namespace headway {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<int64_t> parse_number(std::string_view text) {
  text = trim(text);
  int64_t value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A machine with many containers has megabytes of mounts.
std::optional<std::string> try_read(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{16} << 20;
  try {
    return read_file(path, kMaxBytes);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<int> cores_of(std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  const int64_t cores = *quota / *period + (*quota % *period != 0);
  return static_cast<int>(std::min<int64_t>(cores, std::numeric_limits<int>::max()));
}

// The quota that one cgroup's folder states.
std::optional<int> folder_cores(const std::string& folder, bool v2) {
  if (v2) {
    const auto text = try_read(folder + "/cpu.max");  // "200000 100000" or "max 100000"
    if (!text) return std::nullopt;
    const auto parts = split(trim(*text), ' ');
    if (parts.size() != 2) return std::nullopt;
    return cores_of(parse_number(parts[0]), parse_number(parts[1]));
  }
  const auto quota = try_read(folder + "/cpu.cfs_quota_us");  // -1 without a quota
  const auto period = try_read(folder + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return cores_of(parse_number(*quota), parse_number(*period));
}

// mountinfo writes blanks, tabs, newlines and backslashes as \ooo.
std::string unescape_octal(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    int value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, value, 8).ptr == digits + 3) {
      out += static_cast<char>(value);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool lists(std::string_view comma_separated, std::string_view name) {
  const auto parts = split(comma_separated, ',');
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

// Where the process is in the v2 hierarchy, or in the v1 hierarchy of the cpu controller.
std::optional<std::string> own_cgroup(std::string_view cgroup_file, bool v2) {
  for (std::string_view line : split(cgroup_file, '\n')) {
    // "0::/user.slice" or "4:cpu,cpuacct:/docker/0123"; the path may hold colons.
    const size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool matches =
        v2 ? line.substr(0, first) == "0" && controllers.empty() : lists(controllers, "cpu");
    if (matches) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

struct CgroupMount {
  std::string root;   // the cgroup that is seen at the mount point
  std::string point;  // the folder
  bool v2;
};

std::vector<CgroupMount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (std::string_view line : split(mountinfo, '\n')) {
    // "36 35 98:0 ROOT POINT rw,noatime master:1 - TYPE source options" (proc(5))
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' ');
    if (before.size() < 6 || after.size() < 3) continue;
    const bool v2 = after[0] == "cgroup2";
    if (!v2 && !(after[0] == "cgroup" && lists(after[2], "cpu"))) continue;
    mounts.push_back({unescape_octal(before[3]), unescape_octal(before[4]), v2});
  }
  return mounts;
}

// The part of `path` below the mount's root: "/a/b" under "/a" is "/b". Empty, the mount point
// itself, when the path lies elsewhere: a container's view of a hierarchy that begins above it.
std::string below(const std::string& path, const std::string& root) {
  const std::string prefix = root == "/" ? "" : root;
  if (!path.starts_with(prefix + "/") && path != prefix) return "";
  std::string rest = path.substr(prefix.size());
  while (rest.ends_with('/')) rest.pop_back();
  // "/../x": a cgroup outside the namespace that this process sees.
  const auto steps = split(rest, '/');
  return std::find(steps.begin(), steps.end(), "..") != steps.end() ? "" : rest;
}

int affinity_cores() {
  // The kernel refuses a set smaller than its own, which may be larger than cpu_set_t's 1024.
  for (int capacity = CPU_SETSIZE; capacity <= (1 << 20); capacity *= 2) {
    std::vector<cpu_set_t> set(capacity / CPU_SETSIZE);
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, set.data()) == 0) return CPU_COUNT_S(bytes, set.data());
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::optional<int> cgroup_cores(const std::string& root) {
  const auto cgroup_file = try_read(root + "/proc/self/cgroup");
  const auto mountinfo = try_read(root + "/proc/self/mountinfo");
  if (!cgroup_file || !mountinfo) return std::nullopt;
  std::optional<int> cores;
  for (const CgroupMount& mount : cgroup_mounts(*mountinfo)) {
    const auto path = own_cgroup(*cgroup_file, mount.v2);
    if (!path) continue;
    // From the process's own cgroup up to the mount point: every level may lower the quota.
    std::string rest = below(*path, mount.root);
    while (true) {
      const auto level = folder_cores(root + mount.point + rest, mount.v2);
      if (level) cores = std::min(cores.value_or(*level), *level);
      if (rest.empty()) break;
      rest.resize(rest.rfind('/'));
    }
  }
  return cores;
}

std::optional<int> first_thread_count(std::string_view list) {
  const auto value = parse_number(list.substr(0, list.find(',')));
  if (!value || *value <= 0) return std::nullopt;
  return static_cast<int>(std::min<int64_t>(*value, std::numeric_limits<int>::max()));
}

int usable_cores() {
  const int cores = std::max(affinity_cores(), 1);
  return std::min(cores, cgroup_cores().value_or(cores));
}

int default_threads() {
  const int cores = usable_cores();
  const char* omp = std::getenv("OMP_NUM_THREADS");
  return omp ? std::min(cores, first_thread_count(omp).value_or(cores)) : cores;
}

}  // namespace headway
