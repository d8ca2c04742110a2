// Texts of 10 MB that a careless tokenizer needs minutes for.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>

#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

constexpr size_t kBytes = 10'000'000;

std::string repeated(std::string_view piece, size_t bytes = kBytes) {
  std::string text;
  text.reserve(bytes + piece.size());
  while (text.size() < bytes) text += piece;
  return text;
}

// With HEADWAY_LONG_TESTS=1, in builds that are for use, what is promised: 10 MB in a second.
bool is_long() {
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  const char* set = std::getenv("HEADWAY_LONG_TESTS");
  return set && std::string_view(set) == "1";
#else
  return false;
#endif
}

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// 0.05 to 0.5 s on one core of a server. Anything quadratic would take hours, so the bound leaves
// room for sanitizers and busy machines.
Encoding timed(const Tokenizer& tokenizer, const std::string& text, const EncodeOptions& options,
               double most = 20.0) {
  const double start = processor_seconds();
  Encoding encoding = tokenizer.encode(text, options);
  EXPECT_LT(processor_seconds() - start, most);
  return encoding;
}

Tokenizer with_tokens(const std::string& tokens) {
  SmallJson json;
  json.added_tokens = tokens;
  return open_small(json);
}

TEST(LinearTime, LongWordsSpacesAndMarks) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(timed(tokenizer, repeated("a"), {}).ids.size(), 3u);
  EXPECT_EQ(timed(tokenizer, repeated(" "), {}).ids.size(), 2u);
  EXPECT_EQ(timed(tokenizer, repeated("\u0301"), {}).ids.size(), 2u);
  EXPECT_EQ(timed(tokenizer, repeated("\u0323\u0301"), {}).ids.size(), 2u);
  // Marks that are no Mn stay: one run of 3 million to be put in order.
  EXPECT_EQ(timed(tokenizer, repeated("\U0001d16d\U0001d165"), {}).ids.size(), 3u);
  EXPECT_EQ(timed(tokenizer, repeated("\u00e9"), {}).ids.size(), 3u);
  EXPECT_EQ(timed(tokenizer, repeated("\x80"), {}).ids.size(), 2u);
  EXPECT_EQ(timed(tokenizer, repeated(","), {}).ids.size(), kBytes + 2);
  EXPECT_EQ(timed(tokenizer, repeated("["), {}).ids.size(), kBytes + 2);
}

TEST(LinearTime, AddedTokensThatStripSpaces) {
  const std::string one = R"([{"id":19,"content":" ","rstrip":true}])";
  const std::string two = R"([{"id":19,"content":"<","lstrip":true,"rstrip":true}])";
  const std::string normal = R"([{"id":19,"content":"<","lstrip":true,"normalized":true}])";
  EXPECT_GE(timed(with_tokens(one), repeated(" "), {}).ids.size(), 3u);
  EXPECT_GE(timed(with_tokens(two), repeated("< "), {}).ids.size(), 1000u);
  EXPECT_GE(timed(with_tokens(normal), repeated(" <"), {}).ids.size(), 1000u);
}

// Among them the patterns of GPT-2 (bpe-byte-level) and cl100k (bpe-whole-words).
TEST(LinearTime, EveryModel) {
  std::map<std::string, Tokenizer> tokenizers{
      {"all-MiniLM-L6-v2", Tokenizer::open(minilm_directory())}};
  for (const char* name : kTrainedModels) tokenizers.emplace(name, open_trained(name));
  const size_t bytes = is_long() ? kBytes : kBytes / 4;
  for (const auto& [name, tokenizer] : tokenizers) {
    for (const char* piece : {"a", " ", "\u0301", "\u0323\u0301"}) {
      SCOPED_TRACE(name + ", \"" + piece + "\"");
      timed(tokenizer, repeated(piece, bytes), {}, is_long() ? 1.0 : 20.0);
    }
    for (const char* piece : {"the ", "\u4e2d", "\n", "a'"}) {
      SCOPED_TRACE(name + ", \"" + piece + "\"");
      timed(tokenizer, repeated(piece, bytes), {});
    }
  }
}

TEST(LinearTime, Places) {
  std::vector<Tokenizer> tokenizers = {open_small()};
  for (const char* name : kTrainedModels) tokenizers.push_back(open_trained(name));
  for (const Tokenizer& tokenizer : tokenizers) {
    for (const char* piece : {"a", " ", "\u0323\u0301", "the ", "\u4e2d", "a'"}) {
      const Encoding encoding = timed(tokenizer, repeated(piece, kBytes / 16), {.offsets = true});
      EXPECT_EQ(encoding.offsets.size(), encoding.ids.size()) << piece;
    }
  }
}

// With a limit, what lies far behind it is not even read: 1000 texts of 10 MB.
TEST(LinearTime, StopsAtTheLimit) {
  const Tokenizer tokenizer = open_small();
  const std::string text = repeated("hello ");
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    const Encoding encoding = tokenizer.encode(text, {.max_length = 256});
    ASSERT_EQ(encoding.ids.size(), 256u);
    ASSERT_TRUE(encoding.truncated);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 10.0);
}

}  // namespace
}  // namespace headway
