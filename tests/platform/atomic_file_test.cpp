// Files appear complete or not at all, whatever goes wrong on the way.
#include "engine/platform/atomic_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

using Names = std::vector<std::string>;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(AtomicFile, AppearsOnlyAtCommit) {
  const TempDir dir;
  AtomicFile file(dir.path("out"));
  file.write(bytes("hello "));
  file.write(bytes("world"));
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
  file.commit();
  EXPECT_EQ(dir.read("out"), "hello world");
  EXPECT_EQ(dir.names(), Names{"out"});
}

TEST(AtomicFile, WithoutCommitNothingStays) {
  const TempDir dir;
  dir.write("out", "old");
  {
    AtomicFile file(dir.path("out"));
    file.write(bytes(std::string(1 << 20, 'x')));
    EXPECT_EQ(dir.read("out"), "old");
    EXPECT_EQ(dir.names().size(), 2u);
  }
  EXPECT_EQ(dir.names(), Names{"out"});
  EXPECT_EQ(dir.read("out"), "old");
}

TEST(AtomicFile, ReplacesAtCommit) {
  const TempDir dir;
  dir.write("out", "old and longer");
  AtomicFile file(dir.path("out"));
  file.write(bytes("new"));
  EXPECT_EQ(dir.read("out"), "old and longer");
  file.commit();
  EXPECT_EQ(dir.read("out"), "new");
}

TEST(AtomicFile, EmptyFile) {
  const TempDir dir;
  AtomicFile(dir.path("out")).commit();
  EXPECT_EQ(dir.read("out"), "");
}

TEST(AtomicFile, BuffersAnyMixOfSizes) {
  const TempDir dir;
  AtomicFile file(dir.path("out"));
  std::string expected;
  for (size_t size : {1u, 262143u, 1u, 262144u, 0u, 700000u, 3u, 262145u}) {
    std::string part(size, static_cast<char>('a' + size % 26));
    file.write(bytes(part));
    expected += part;
    EXPECT_EQ(file.size(), expected.size());
  }
  file.commit();
  EXPECT_EQ(dir.read("out"), expected);
}

TEST(AtomicFile, WriteAtOverwritesWithin) {
  const TempDir dir;
  AtomicFile file(dir.path("out"));
  file.write(bytes("0123456789"));
  file.write_at(2, bytes("ab"));
  file.write(bytes("tail"));
  file.write_at(9, bytes("xyzzy"));
  file.write_at(14, bytes(""));
  for (const auto& [offset, text] :
       {std::pair<uint64_t, const char*>{15, ""}, {13, "ab"}, {~uint64_t{0}, "a"}})
    expect_error(ErrorCode::invalid_argument, "are not within the 14 written",
                 [&, offset = offset, text = text] { file.write_at(offset, bytes(text)); });
  EXPECT_EQ(file.size(), 14u);
  file.commit();
  EXPECT_EQ(dir.read("out"), "01ab45678xyzzy");
}

TEST(AtomicFile, CommitIsTheLastCall) {
  const TempDir dir;
  AtomicFile file(dir.path("out"));
  file.commit();
  const std::string message = "\"" + dir.path("out") + "\" has been committed";
  expect_error(ErrorCode::internal, message, [&] { file.write(bytes("x")); });
  expect_error(ErrorCode::internal, message, [&] { file.write_at(0, bytes("")); });
  expect_error(ErrorCode::internal, message, [&] { file.commit(); });
}

TEST(AtomicFile, RefusesUnwritablePlacesAtOnce) {
  const TempDir dir;
  dir.write("file", "x");
  std::filesystem::create_directory(dir.path("folder"));
  ASSERT_EQ(::mkfifo(dir.path("fifo").c_str(), 0600), 0);
  const auto refused = [&](const std::string& path, ErrorCode code, const std::string& reason) {
    expect_error(code, "cannot write \"" + path + "\": " + reason, [&] { AtomicFile file(path); });
  };
  refused(dir.path("none/out"), ErrorCode::not_found, "No such file or directory");
  refused(dir.path("file/out"), ErrorCode::not_found, "Not a directory");
  refused(dir.path("folder"), ErrorCode::io, "it is a directory");
  refused(dir.path("none/"), ErrorCode::io, "Is a directory");
  refused(dir.path("fifo"), ErrorCode::io, "it is no regular file");
  refused("/dev/null", ErrorCode::io, "it is no regular file");
  refused("", ErrorCode::not_found, "No such file or directory");
  refused(dir.path(std::string(300, 'n')), ErrorCode::io, "File name too long");
  expect_error(ErrorCode::not_found, "the name contains a NUL",
               [&] { AtomicFile file(dir.path(std::string("a\0b", 3))); });
  EXPECT_EQ(dir.names(), (Names{"fifo", "file", "folder"}));
}

TEST(AtomicFile, RefusesWhatMayNotBeWritten) {
  const TempDir dir;
  ::chmod(dir.path().c_str(), 0755);
  const std::string protected_file = dir.write("protected", "x");
  ::chmod(protected_file.c_str(), 0444);
  const std::string folder = dir.path("folder");
  std::filesystem::create_directory(folder);
  ::chmod(folder.c_str(), 0555);
  const bool superuser = ::geteuid() == 0;  // who may write everything: check as nobody
  const pid_t child = ::fork();
  if (child == 0) {
    if (superuser && ::setuid(65534) != 0) ::_exit(2);
    for (const std::string& path : {protected_file, folder + "/out"})
      expect_error(ErrorCode::io, "cannot write \"" + path + "\": Permission denied",
                   [&] { AtomicFile file(path); });
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(AtomicFile, LongestNameWorks) {
  const TempDir dir;
  const std::string name(255, 'n');
  AtomicFile(dir.path(name)).commit();
  EXPECT_EQ(dir.names(), Names{name});
}

TEST(AtomicFile, FollowsLinksAndKeepsPermissions) {
  const TempDir dir;
  dir.write("real/file", "old");
  ::chmod(dir.path("real/file").c_str(), 0640);
  std::filesystem::create_symlink("real/file", dir.path("link"));
  AtomicFile file(dir.path("link"));
  file.write(bytes("new"));
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link")));
  EXPECT_EQ(dir.read("real/file"), "new");
  struct stat status;
  ASSERT_EQ(::stat(dir.path("real/file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFile, NewFilesObeyTheUmask) {
  const TempDir dir;
  const mode_t old = ::umask(027);
  AtomicFile(dir.path("out")).commit();
  ::umask(old);
  struct stat status;
  ASSERT_EQ(::stat(dir.path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFile, SurvivesAChangeOfTheWorkingDirectory) {
  const TempDir dir;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  AtomicFile file("out");
  std::filesystem::current_path(before);
  file.commit();
  EXPECT_EQ(dir.names(), Names{"out"});
}

// A full disk, played by a limit on file sizes.
TEST(AtomicFile, FailedWriteLeavesNothing) {
  const TempDir dir;
  dir.write("out", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    AtomicFile file(dir.path("out"));
    const std::string reason = "cannot write \"" + dir.path("out") + "\": File too large";
    expect_error(ErrorCode::io, reason, [&] { file.write(bytes(std::string(3 << 20, 'x'))); });
    expect_error(ErrorCode::internal, "given up", [&] { file.commit(); });
    EXPECT_EQ(dir.names(), Names{"out"});
    // Small enough for the buffer: found at commit.
    const rlimit less{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &less);
    AtomicFile small(dir.path("out"));
    small.write(bytes("more than ten bytes"));
    expect_error(ErrorCode::io, reason, [&] { small.commit(); });
    EXPECT_EQ(dir.names(), Names{"out"});
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(dir.read("out"), "old");
}

TEST(AtomicFile, VanishedFolderIsAnErrorAtCommit) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("folder"));
  AtomicFile file(dir.path("folder/out"));
  std::filesystem::remove_all(dir.path("folder"));
  expect_error(ErrorCode::not_found, "cannot write \"" + dir.path("folder/out") + "\"",
               [&] { file.commit(); });
}

TEST(AtomicFile, RemovePendingRemovesAllTemporaryFiles) {
  const TempDir dir;
  dir.write("a", "old");
  AtomicFile a(dir.path("a"));
  AtomicFile b(dir.path("b"));
  AtomicFile done(dir.path("done"));
  done.commit();
  EXPECT_EQ(dir.names().size(), 4u);
  AtomicFile::remove_pending();
  EXPECT_EQ(dir.names(), (Names{"a", "done"}));
  EXPECT_EQ(dir.read("a"), "old");
  expect_error(ErrorCode::not_found, "cannot write", [&] { a.commit(); });
}

// As the command line uses it: a signal in the middle of writing.
TEST(AtomicFile, SignalHandlerRemovesTheTemporaryFile) {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGINT, [](int) {
      AtomicFile::remove_pending();
      ::_exit(130);
    });
    AtomicFile file(dir.path("out"));
    const std::string block(100000, 'x');
    while (true) {
      file.write(bytes(block));
      if (file.size() >= (1 << 20)) ::raise(SIGINT);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(dir.names(), Names{});
}

TEST(AtomicFile, PlacesAreLimitedAndComeBack) {
  const TempDir dir;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (size_t i = 0; i < AtomicFile::kMaxPending; ++i)
      files.push_back(std::make_unique<AtomicFile>(dir.path(std::to_string(i))));
    expect_error(ErrorCode::limit, "16 files are being written already",
                 [&] { AtomicFile file(dir.path("more")); });
    files.front()->commit();
    files.pop_back();
    // Errors of the constructor give their place back too.
    for (int i = 0; i < 20; ++i) EXPECT_THROW(AtomicFile(dir.path("none/out")), Error);
  }
  EXPECT_EQ(dir.names(), Names{"0"});
}

}  // namespace
}  // namespace headway
