// Reading and mapping files, and what is refused.
#include "engine/platform/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

std::string content(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.size()};
}

TEST(ReadFile, ReadsTheWholeFile) {
  const TempDir dir;
  std::string bytes(200001, 'x');
  bytes[100] = '\0';
  bytes.back() = 'y';
  EXPECT_EQ(read_file(dir.write("a", bytes), bytes.size()), bytes);
  EXPECT_EQ(read_file(dir.write("empty", ""), 0), "");
}

TEST(ReadFile, ReadsFilesThatSayTheyAreEmpty) {
  EXPECT_FALSE(read_file("/proc/self/status", 1 << 20).empty());
  expect_error(ErrorCode::limit, "at most 10 are read", [] { read_file("/proc/self/status", 10); });
}

TEST(ReadFile, KeepsTheLimit) {
  const TempDir dir;
  const std::string path = dir.write("a", "12345");
  EXPECT_EQ(read_file(path, 5), "12345");
  expect_error(ErrorCode::limit, "cannot read \"" + path + "\": it has 5 bytes, at most 4 are read",
               [&] { read_file(path, 4); });
}

// Both ways of reading refuse the same things.
template <typename Action>
void expect_both_refuse(const std::string& path, ErrorCode code, const std::string& text,
                        Action&& prepare) {
  prepare();
  expect_error(code, text, [&] { read_file(path, 100); });
  expect_error(code, text, [&] { MappedFile::open(path); });
}

TEST(File, RefusesWhatIsNoReadableFile) {
  const TempDir dir;
  const auto nothing = [] {};
  const std::string missing = dir.path("missing");
  expect_both_refuse(missing, ErrorCode::not_found,
                     "cannot open \"" + missing + "\": No such file or directory", nothing);
  expect_both_refuse("", ErrorCode::not_found, "cannot open \"\": No such file", nothing);
  const std::string below = dir.path("file/below");
  expect_both_refuse(below, ErrorCode::not_found, "cannot open \"" + below + "\": Not a directory",
                     [&] { dir.write("file", "x"); });
  expect_both_refuse(dir.path(), ErrorCode::io,
                     "cannot read \"" + dir.path() + "\": it is a directory, expected a file",
                     nothing);
  // Opened for reading, a FIFO would wait for its writer for ever.
  const std::string fifo = dir.path("fifo");
  expect_both_refuse(fifo, ErrorCode::io, "it is a FIFO, expected a file",
                     [&] { ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0); });
  expect_both_refuse("/dev/zero", ErrorCode::io, "it is a device, expected a file", nothing);
  const std::string nul = dir.path("file") + std::string("\0x", 2);
  expect_both_refuse(nul, ErrorCode::not_found, "the name contains a NUL", nothing);
}

TEST(File, RefusesWhatMayNotBeRead) {
  const TempDir dir;
  const std::string path = dir.write("secret", "x");
  ::chmod(path.c_str(), 0);
  const bool superuser = ::geteuid() == 0;  // who may read everything: be nobody for a while
  if (superuser) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  expect_both_refuse(path, ErrorCode::io, "cannot open \"" + path + "\": Permission denied", [] {});
  if (superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

TEST(MappedFile, ShowsTheBytes) {
  const TempDir dir;
  const std::string path = dir.write("a", "hello");
  const auto file = MappedFile::open(path);
  EXPECT_EQ(file->path(), path);
  EXPECT_EQ(content(*file), "hello");
}

TEST(MappedFile, LivesLongerThanTheName) {
  const TempDir dir;
  const auto file = MappedFile::open(dir.write("a", "hello"));
  ::unlink(dir.path("a").c_str());
  EXPECT_EQ(content(*file), "hello");
}

TEST(MappedFile, NoticesWhatIsWrittenToTheFile) {
  const TempDir dir;
  const std::string path = dir.write("a", std::string(10000, 'x'));
  const auto removed = MappedFile::open(path);
  ::unlink(path.c_str());
  dir.write("a", std::string(10000, 'y'));
  removed->expect_unchanged();

  const auto shortened = MappedFile::open(path);
  shortened->expect_unchanged();
  ASSERT_EQ(::truncate(path.c_str(), 5000), 0);
  expect_error(ErrorCode::io, path + "\" was written to", [&] { shortened->expect_unchanged(); });

  const auto rewritten = MappedFile::open(path);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // file systems count in clock ticks
  dir.write("a", std::string(5000, 'z'));
  expect_error(ErrorCode::io, path + "\" was written to", [&] { rewritten->expect_unchanged(); });
}

TEST(MappedFile, EmptyFileHasNoBytes) {
  const TempDir dir;
  const auto file = MappedFile::open(dir.write("empty", ""));
  EXPECT_EQ(file->size(), 0u);
  EXPECT_TRUE(file->bytes().empty());
  file->release(0, 100);
}

// Resident kB of the mapping of `path`, from /proc/self/smaps.
long resident_kb(const std::string& path) {
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  long kb = -1;
  for (std::string line; std::getline(smaps, line);) {
    if (line.find(path) != std::string::npos) inside = true;
    if (inside && line.starts_with("Rss:")) {
      kb = std::stol(line.substr(4));
      inside = false;
    }
  }
  return kb;
}

TEST(MappedFile, ReleaseGivesPagesBackAndKeepsTheContent) {
  const TempDir dir;
  const size_t size = (4 << 20) + 123;
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 4096);
  const auto file = MappedFile::open(dir.write("large", bytes));
  EXPECT_EQ(content(*file), bytes);
  const long before = resident_kb(dir.path("large"));
  ASSERT_GE(before, 4096);
  // An unaligned middle: at most its first and last page stay. (More than the range may go where
  // the kernel maps huge pages.)
  file->release(1000, 1 << 20);
  EXPECT_LE(resident_kb(dir.path("large")), before - 1024 + 8);
  EXPECT_EQ(content(*file), bytes);
  file->release(0, size);
  EXPECT_EQ(resident_kb(dir.path("large")), 0);
  EXPECT_EQ(content(*file), bytes);
}

TEST(MappedFile, ReleaseIgnoresWhatIsOutside) {
  const TempDir dir;
  const auto file = MappedFile::open(dir.write("a", std::string(10000, 'x')));
  constexpr size_t kHuge = ~size_t{0};
  file->release(20000, 5);
  file->release(0, kHuge);
  file->release(5000, kHuge);
  file->release(kHuge, kHuge);
  file->release(9999, 0);
  EXPECT_EQ(content(*file), std::string(10000, 'x'));
}

}  // namespace
}  // namespace headway
