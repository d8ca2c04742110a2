// Read from /proc.
#include "tests/soak/resources.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace headway {
namespace {

long entries(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}

}  // namespace

Resources resources_now() {
  malloc_trim(0);
  Resources now{.threads = entries("/proc/self/task"), .files = entries("/proc/self/fd")};
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  now.memory = static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++now.mappings;
  return now;
}

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace headway
