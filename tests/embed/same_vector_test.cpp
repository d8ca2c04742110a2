// The vector of a text is the same bits whatever else happens.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "headway/embedder.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

// One embedder of each thread count for all tests: opening packs 43 MB of weights.
const Embedder& embedder(int threads) {
  static const std::vector<Embedder> all = [] {
    std::vector<Embedder> made;
    for (const int count : {1, 2, 5}) {
      EmbedderOptions options;
      options.threads = count;
      made.push_back(Embedder::open(real_model_directory(), options));
    }
    return made;
  }();
  return all[threads == 1 ? 0 : threads == 2 ? 1 : 2];
}

// Short and long, from all over the list.
const std::vector<std::string>& some_texts() {
  static const std::vector<std::string> texts = [] {
    const std::vector<std::string> all = golden_texts();
    std::vector<std::string> some;
    for (size_t i = 0; i < all.size(); i += 41) some.push_back(all[i]);
    some.push_back(all.back());
    return some;
  }();
  return texts;
}

const std::vector<float>& expected() {
  static const std::vector<float> values = embedder(1).embed(some_texts()).values;
  return values;
}

RunOptions in_mode(Mode mode) {
  RunOptions options;
  options.mode = mode;
  return options;
}

TEST(SameVector, OnAnyThreadsAndInAnyMode) {
  for (const int threads : {1, 2, 5})
    for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, mode " << static_cast<int>(mode));
      EXPECT_TRUE(embedder(threads).embed(some_texts(), in_mode(mode)).values == expected());
    }
}

TEST(SameVector, WithFewerThreadsThanTheLimit) {
  RunOptions options;
  options.threads = 3;
  EXPECT_TRUE(embedder(5).embed(some_texts(), options).values == expected());
}

TEST(SameVector, AloneAndInAnyOrder) {
  const std::vector<std::string>& texts = some_texts();
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<float> alone = embedder(2).embed(std::span(&texts[i], 1)).values;
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), expected().begin() + i * 384))
        << "text " << i << ": " << texts[i];
  }
  const std::vector<std::string> reversed(texts.rbegin(), texts.rend());
  const Embeddings back = embedder(2).embed(reversed);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto row = back.row(static_cast<int64_t>(texts.size() - 1 - i));
    EXPECT_TRUE(std::equal(row.begin(), row.end(), expected().begin() + i * 384)) << "text " << i;
  }
}

// The comparison above can fail: another text has other bits.
TEST(SameVector, OfAnotherTextIsAnother) {
  const std::vector<std::string> texts = {some_texts()[0] + " x"};
  const std::vector<float> other = embedder(2).embed(texts).values;
  EXPECT_FALSE(std::equal(other.begin(), other.end(), expected().begin()));
}

TEST(SameVector, FromSixteenThreadsAtOnce) {
  const std::vector<float>& values = expected();
  const std::vector<int32_t> ids = embedder(1).tokenizer().encode(some_texts()[3]).ids;
  std::vector<int> wrong(16);
  std::vector<std::jthread> callers;
  for (size_t caller = 0; caller < wrong.size(); ++caller)
    callers.emplace_back([&, caller] {
      try {
        for (const Mode mode : {Mode::automatic, Mode::inside})
          wrong[caller] +=
              embedder(caller % 2 == 0 ? 2 : 5).embed(some_texts(), in_mode(mode)).values != values;
        wrong[caller] += embedder(2).tokenizer().encode(some_texts()[3]).ids != ids;
      } catch (const std::exception&) {
        wrong[caller] += 100;
      }
    });
  callers.clear();
  EXPECT_EQ(wrong, std::vector<int>(16));
}

// Runs `child` after fork; its result, or -1 when it takes more than a minute.
int in_forked_child(const std::function<bool()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    bool good = false;
    try {
      good = child();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

TEST(SameVector, InAForkedChildOfAProcessThatEmbedded) {
  const std::vector<float>& values = expected();
  for (const Mode mode : {Mode::across, Mode::inside}) {
    ASSERT_TRUE(embedder(2).embed(some_texts(), in_mode(mode)).values == values);
    EXPECT_EQ(in_forked_child(
                  [&] { return embedder(2).embed(some_texts(), in_mode(mode)).values == values; }),
              0);
    // And in the child of a child that embedded.
    EXPECT_EQ(in_forked_child([&] {
                return embedder(2).embed(some_texts(), in_mode(mode)).values == values &&
                       in_forked_child([&] {
                         return embedder(5).embed(some_texts(), in_mode(mode)).values == values;
                       }) == 0;
              }),
              0);
  }
}

}  // namespace
}  // namespace headway
