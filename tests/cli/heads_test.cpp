// headway heads: the numbers, the page as bytes, and what is refused. tests/cli/heads_page_test.py
// opens the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "headway/heads.hpp"
#include "tests/cli/arrays.hpp"
#include "tests/cli/expect.hpp"
#include "tests/cli/model.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kText = "The cat sat, for it was tired.";

std::vector<std::string> heads_arguments(std::vector<std::string> more,
                                         const std::string& text = kText) {
  more.insert(more.begin(), {"heads", "--model", model_directory(), "--text", text});
  return more;
}

std::string page_of(const std::string& text) {
  const ProcessResult result = run_headway(heads_arguments({"--output", "-"}, text));
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(HeadsCommand, writes_the_numbers_of_the_library) {
  const TempDir dir;
  const AttentionMaps maps = Heads::open(model_directory()).look(kText);
  const ProcessResult all = run_headway(heads_arguments({"--output", dir.path("w.npy")}));
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, "");
  EXPECT_EQ(all.err, "headway: 6 layers, 12 heads each, 11 tokens\n");
  const NpyContent content = parse_npy(dir.read("w.npy"));
  EXPECT_EQ(content.shape, "(6, 12, 11, 11)");
  EXPECT_EQ(content.values, maps.weights);

  const ProcessResult one =
      run_headway(heads_arguments({"--layer", "5", "--output", dir.path("5.npy")}));
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.err, "headway: layer 5, 12 heads, 11 tokens\n");
  const NpyContent last = parse_npy(dir.read("5.npy"));
  EXPECT_EQ(last.shape, "(12, 11, 11)");
  const auto expected = std::span(maps.weights).last(12 * 11 * 11);
  EXPECT_TRUE(std::ranges::equal(last.values, expected));
}

TEST(HeadsCommand, writes_a_page_that_needs_nothing_else) {
  const std::string page = page_of(kText);
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr(R"("text": "The cat sat, for it was tired.")"));
  EXPECT_THAT(page, HasSubstr(R"(["[CLS]","the","cat","sat",",",)"));
  EXPECT_THAT(page, Not(HasSubstr("{{data}}")));
  for (const char* link : {"http:", "https:", "src=", "href=", "url(", "@import"})
    EXPECT_THAT(page, Not(HasSubstr(link)));
  EXPECT_LT(page.size(), 100000u);
}

TEST(HeadsCommand, shows_hostile_text_and_never_runs_it) {
  const std::string plain = page_of(kText);
  for (const std::string text : {"</script><script>alert(1)</script>", "<!--<script>",
                                 "\"}]; alert(1); //", "{{data}}", "\xff\xfe not UTF-8 \x01"}) {
    const std::string page = page_of(text);
    for (const char* part : {"<script", "</script", "<!--", "<img"})
      EXPECT_EQ(count(page, part), count(plain, part)) << text;
  }
  EXPECT_THAT(page_of("</script>"), HasSubstr(R"("text": "\u003c/script>")"));
}

TEST(HeadsCommand, takes_what_embed_takes) {
  const TempDir dir;
  const ProcessResult cut = run_headway(
      heads_arguments({"--output", dir.path("w.npy"), "--max-length", "4", "--threads", "1"}));
  ASSERT_EQ(cut.code, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("4 tokens; the text was truncated"));
  EXPECT_EQ(parse_npy(dir.read("w.npy")).shape, "(6, 12, 4, 4)");
  const ProcessResult empty = run_headway(heads_arguments({"--output", dir.path("empty.npy")}, ""));
  ASSERT_EQ(empty.code, 0) << empty.err;
  EXPECT_EQ(parse_npy(dir.read("empty.npy")).shape, "(6, 12, 2, 2)");
}

TEST(HeadsCommand, refuses_what_cannot_be) {
  const TempDir dir;
  const std::string output = dir.path("heads.html");
  expect_refusal(2, "--text is required",
                 {"heads", "--model", model_directory(), "--output", output});
  expect_refusal(2, "--layer", heads_arguments({"--output", output, "--layer", "-1"}));
  expect_refusal(1, "layer: expected 0 to 5, found 6",
                 heads_arguments({"--output", output, "--layer", "6"}));
  expect_refusal(1, "256", heads_arguments({"--output", output, "--max-length", "257"}));
  expect_refusal(1, "missing/h.html", heads_arguments({"--output", dir.path("missing/h.html")}));
  expect_refusal(1, dir.path(),
                 {"heads", "--model", dir.path(), "--text", "a", "--output", output});
  EXPECT_TRUE(dir.names().empty());
}

TEST(HeadsCommand, refuses_a_page_that_no_browser_wants) {
  const TempDir dir;  // without what holds the model to 256 tokens
  for (const char* name :
       {"model.safetensors", "vocab.txt", "config.json", "tokenizer_config.json"})
    std::filesystem::create_symlink(model_directory() + "/" + name, dir.path(name));
  std::string text;
  for (int i = 0; i < 600; ++i) text += "word ";
  expect_refusal(1,
                 "6,000,000 weights at most, and these are 18,874,368 (6 layers x 12 heads x 512 x "
                 "512 tokens)",
                 {"heads", "--model", dir.path(), "--text", text, "--output", "-"});
  const ProcessResult one = run_headway(
      {"heads", "--model", dir.path(), "--text", text, "--output", "-", "--layer", "0"});
  EXPECT_EQ(one.code, 0) << one.err;
}

}  // namespace
}  // namespace headway::cli
