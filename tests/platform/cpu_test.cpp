// Core counts from made-up /proc and /sys trees, and from the affinity mask of this process.
#include "engine/platform/cpu.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <string>
#include <thread>

#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

// A machine whose only hierarchy is cgroup v2, mounted at /sys/fs/cgroup.
class CgroupV2 : public testing::Test {
 protected:
  void process_in(const std::string& path) { dir_.write("proc/self/cgroup", "0::" + path + "\n"); }
  void mounted(const std::string& root = "/", const std::string& point = "/sys/fs/cgroup") {
    dir_.write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n31 22 0:27 " + root +
                                          " " + point +
                                          " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void quota(const std::string& folder, const std::string& text) {
    dir_.write("sys/fs/cgroup" + folder + "/cpu.max", text);
  }
  std::optional<int> cores() { return cgroup_cores(dir_.path()); }

  TempDir dir_;
};

TEST_F(CgroupV2, NoFilesNoQuota) {
  EXPECT_EQ(cores(), std::nullopt);
  process_in("/");
  EXPECT_EQ(cores(), std::nullopt);
  mounted();
  EXPECT_EQ(cores(), std::nullopt);
}

TEST_F(CgroupV2, QuotaIsRoundedUp) {
  process_in("/");
  mounted();
  const auto cores_for = [&](const std::string& text) {
    quota("", text);
    return cores();
  };
  EXPECT_EQ(cores_for("200000 100000\n"), 2);
  EXPECT_EQ(cores_for("200001 100000\n"), 3);
  EXPECT_EQ(cores_for("1000 100000\n"), 1);
  EXPECT_EQ(cores_for("50000 20000"), 3);
  EXPECT_EQ(cores_for("9223372036854775807 1\n"), 2147483647);
}

TEST_F(CgroupV2, GarbageIsNoQuota) {
  process_in("/");
  mounted();
  for (const char* text : {"max 100000\n", "", "\n", "200000", "200000 0", "0 100000", "-1 100000",
                           "a b", "200000 100000 7", "99999999999999999999 100000", "2e5 100000"}) {
    quota("", text);
    EXPECT_EQ(cores(), std::nullopt) << text;
  }
}

TEST_F(CgroupV2, TheSmallestQuotaOnTheWayUpCounts) {
  process_in("/user.slice/job/task");
  mounted();
  quota("/user.slice/job/task", "max 100000\n");
  quota("/user.slice", "600000 100000\n");
  EXPECT_EQ(cores(), 6);
  quota("/user.slice/job", "300000 100000\n");
  EXPECT_EQ(cores(), 3);
  quota("/user.slice/job/task", "400000 100000\n");
  EXPECT_EQ(cores(), 3);
  quota("/user.slice/other", "100000 100000\n");
  quota("/user.slice/job/task/child", "100000 100000\n");
  EXPECT_EQ(cores(), 3);
  quota("", "200000 100000\n");
  EXPECT_EQ(cores(), 2);
}

TEST_F(CgroupV2, MountOfAPartOfTheHierarchy) {
  process_in("/docker/0123/inner");
  mounted("/docker/0123");
  quota("/inner", "400000 100000\n");
  EXPECT_EQ(cores(), 4);
  quota("", "200000 100000\n");
  EXPECT_EQ(cores(), 2);
  // "/docker/01234" is not below "/docker/0123": only the mount point itself is ours.
  process_in("/docker/01234");
  EXPECT_EQ(cores(), 2);
}

TEST_F(CgroupV2, PathsOutsideTheNamespaceNeverLeaveTheMount) {
  process_in("/../../etc");
  mounted();
  dir_.write("etc/cpu.max", "100000 100000\n");
  dir_.write("sys/etc/cpu.max", "100000 100000\n");
  EXPECT_EQ(cores(), std::nullopt);
  quota("", "500000 100000\n");
  EXPECT_EQ(cores(), 5);
  // Two dots inside a name are a name.
  process_in("/a..b");
  quota("/a..b", "400000 100000\n");
  EXPECT_EQ(cores(), 4);
}

TEST_F(CgroupV2, PathsWithColonsAndMountPointsWithBlanks) {
  process_in("/pod:7");
  mounted("/", "/sys/fs/my\\040cgroup");
  dir_.write("sys/fs/my cgroup/pod:7/cpu.max", "300000 100000\n");
  EXPECT_EQ(cores(), 3);
}

TEST_F(CgroupV2, DamagedProcFilesAreNoQuota) {
  quota("", "200000 100000\n");
  mounted();
  for (const char* text : {"", "0", "0:", "0::", ":::", "0:/", "\n\n", "1:name=systemd:/\n"}) {
    dir_.write("proc/self/cgroup", text);
    cores();  // must not crash; "0::" may count as the root
  }
  process_in("/");
  for (const char* text : {"", " - ", "- cgroup2", "31 22 0:27 / - cgroup2 x rw", "\\",
                           "a b c d e \\04 - cgroup2 a b"}) {
    dir_.write("proc/self/mountinfo", text);
    EXPECT_EQ(cores(), std::nullopt) << text;
  }
}

// Hierarchies of v1 beside an empty v2, as systemd's hybrid layout and old container hosts have.
class CgroupV1 : public testing::Test {
 protected:
  void SetUp() override {
    dir_.write("proc/self/cgroup",
               "9:name=systemd:/x\n4:cpuset:/other\n3:cpu,cpuacct:/docker/0123\n0::/x\n");
    dir_.write("proc/self/mountinfo",
               "32 31 0:29 /docker/0123 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
               "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  }
  void quota(const std::string& quota, const std::string& period) {
    dir_.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota);
    dir_.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", period);
  }
  std::optional<int> cores() { return cgroup_cores(dir_.path()); }

  TempDir dir_;
};

TEST_F(CgroupV1, ReadsQuotaAndPeriod) {
  EXPECT_EQ(cores(), std::nullopt);
  quota("250000\n", "100000\n");
  EXPECT_EQ(cores(), 3);
  quota("-1\n", "100000\n");
  EXPECT_EQ(cores(), std::nullopt);
  quota("200000\n", "0\n");
  EXPECT_EQ(cores(), std::nullopt);
  quota("200000\n", "\n");
  EXPECT_EQ(cores(), std::nullopt);
}

TEST_F(CgroupV1, TheSmallerOfBothHierarchiesCounts) {
  quota("400000\n", "100000\n");
  dir_.write("sys/fs/cgroup/unified/x/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores(), 2);
  // The cpuset hierarchy has no quota, whatever lies there.
  dir_.write("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "100000\n");
  dir_.write("sys/fs/cgroup/cpuset/other/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), 2);
}

TEST(Cpu, FirstThreadCount) {
  EXPECT_EQ(first_thread_count("4"), 4);
  EXPECT_EQ(first_thread_count(" 4 , 2"), 4);
  EXPECT_EQ(first_thread_count("99999999999"), 2147483647);
  for (const char* garbage : {"", " ", "0", "-2", "four", "4x", "x4", ",4", "4.5", "0x4"})
    EXPECT_EQ(first_thread_count(garbage), std::nullopt) << garbage;
}

TEST(Cpu, AtLeastOneAndNoMoreThanTheMachineHas) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(Cpu, AffinityMaskCounts) {
  int cores = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    cores = usable_cores();
  }).join();
  EXPECT_EQ(cores, 1);
}

TEST(Cpu, OmpNumThreadsLowersOnly) {
  const int cores = usable_cores();
  const auto threads_for = [](const char* value) {
    ::setenv("OMP_NUM_THREADS", value, 1);
    return default_threads();
  };
  EXPECT_EQ(threads_for("1"), 1);
  EXPECT_EQ(threads_for("1,8"), 1);
  EXPECT_EQ(threads_for("100000"), cores);
  EXPECT_EQ(threads_for("many"), cores);
  EXPECT_EQ(threads_for("0"), cores);
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(default_threads(), cores);
}

}  // namespace
}  // namespace headway
