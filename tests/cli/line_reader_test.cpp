// Lines and windows of the reader of texts.
#include "engine/cli/line_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::ElementsAre;

// All lines, window by window.
std::vector<std::string> read(LineReader& reader, size_t max_texts) {
  std::vector<std::string> lines;
  while (true) {
    const auto window = reader.next(max_texts);
    EXPECT_LE(window.size(), max_texts);
    if (window.empty()) return lines;
    lines.insert(lines.end(), window.begin(), window.end());
  }
}

TEST(LineReader, keeps_all_bytes_but_the_newline) {
  const TempDir dir;
  const std::string text("a\r\n\n b \n\0c\n\xFF", 12);
  for (const size_t max_texts : {1, 2, 100}) {
    LineReader reader(dir.write("t", text));
    EXPECT_EQ(reader.size(), text.size());
    EXPECT_THAT(read(reader, max_texts),
                ElementsAre("a\r", "", " b ", std::string("\0c", 2), "\xFF"));
    EXPECT_EQ(reader.position(), text.size());
  }
}

TEST(LineReader, a_last_newline_starts_no_text) {
  const TempDir dir;
  LineReader one(dir.write("one", "a\n")), empty(dir.write("empty", "")),
      newline(dir.write("newline", "\n"));
  EXPECT_THAT(read(one, 9), ElementsAre("a"));
  EXPECT_THAT(read(empty, 9), ElementsAre());
  EXPECT_THAT(read(newline, 9), ElementsAre(""));
}

TEST(LineReader, lines_across_its_reads_and_windows_stay_whole) {
  const TempDir dir;
  std::vector<std::string> lines;
  std::string text;
  for (size_t i = 0; i < 3000; ++i) {
    lines.push_back(std::string(i * 7919 % 4001, static_cast<char>('a' + i % 26)));
    text += lines.back() + "\n";
  }
  for (const size_t max_texts : {size_t{1}, size_t{7}, size_t{100000}}) {
    LineReader reader(dir.write("t", text));
    EXPECT_EQ(read(reader, max_texts), lines);
  }
}

TEST(LineReader, a_window_is_bounded_in_bytes) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 40; ++i) text += std::string(999'999, 'x') + "\n";
  LineReader reader(dir.write("t", text));
  size_t lines = 0;
  while (true) {
    const auto window = reader.next(1000);
    if (window.empty()) break;
    EXPECT_LE(window.size(), LineReader::kWindowBytes / 1'000'000 + 1);
    lines += window.size();
  }
  EXPECT_EQ(lines, 40u);
}

TEST(LineReader, refuses_a_line_that_is_too_long_and_takes_the_longest) {
  const TempDir dir;
  LineReader longest(dir.write("t", "a\n" + std::string(LineReader::kMaxLineBytes, 'x') + "\nb"));
  EXPECT_EQ(read(longest, 1).size(), 3u);
  LineReader beyond(
      dir.write("t", "a\n" + std::string(LineReader::kMaxLineBytes + 1, 'x') + "\nb"));
  EXPECT_THAT(beyond.next(1), ElementsAre("a"));
  expect_error(ErrorCode::limit, "line 2 is longer than 67108864 bytes", [&] { beyond.next(1); });
}

}  // namespace
}  // namespace headway::cli
