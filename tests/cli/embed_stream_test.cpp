// headway embed: memory does not grow with the input.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/process.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

// Single letters, which the tiny model knows as words.
std::string write_lines(const TempDir& dir, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += {static_cast<char>('a' + i % 25), '\n'};
  return dir.write("texts.txt", text);
}

int64_t peak_of(int count, const std::string& format) {
  const TempDir model, dir;
  TinyModel().write(model);
  const std::string input = write_lines(dir, count), output = dir.path("vectors");
  // The address sanitizer, where built with it, keeps 256 MB of freed memory unless told otherwise.
  const ProcessOptions options{.environment = {{"ASAN_OPTIONS", "quarantine_size_mb=1"}}};
  const ProcessResult result = run_headway(
      {"embed", "--model", model.path(), "--input", input, "--output", output, "--format", format},
      options);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_GE(std::filesystem::file_size(output), static_cast<size_t>(count) * TinyModel::kDim * 4);
  return result.peak_rss;
}

void expect_flat(const std::string& format) {
  const int64_t small = peak_of(50'000, format);
  const int64_t large = peak_of(1'000'000, format);
  // 950,000 texts more would be 15 MB as views of them alone, and as much again as vectors.
  EXPECT_LT(large - small, int64_t{8} << 20) << small << " " << large;
}

TEST(EmbedStream, a_million_lines_take_no_more_memory_than_fifty_thousand_as_npy) {
  expect_flat("npy");
}

TEST(EmbedStream, a_million_lines_take_no_more_memory_than_fifty_thousand_as_json_lines) {
  expect_flat("jsonl");
}

}  // namespace
}  // namespace headway::cli
