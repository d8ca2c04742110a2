// headway multihead against the oracle, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/cli/arrays.hpp"
#include "tests/cli/process.hpp"
#include "tests/reference/attention.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kBatch = 2, kTokens = 10, kDim = 64, kHeads = 8;

std::vector<float> random_floats(size_t count, auto distribution, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

std::vector<float> linear_init(size_t count, unsigned seed) {
  const float bound = 1 / std::sqrt(static_cast<float>(kDim));
  return random_floats(count, std::uniform_real_distribution<float>(-bound, bound), seed);
}

// The seed layer with its files in a folder of its own.
class MultiHeadCommand : public testing::Test {
 protected:
  void SetUp() override {
    tensors = {{"qkv.weight", {"[192, 64]", linear_init(3 * kDim * kDim, 1)}},
               {"out.weight", {"[64, 64]", linear_init(kDim * kDim, 2)}},
               {"out.bias", {"[64]", linear_init(kDim, 3)}}};
    write_weights();
    x = random_floats(kBatch * kTokens * kDim, std::normal_distribution<float>(), 4);
    dir.write("x.npy", npy_file("(2, 10, 64)", x));
  }

  void write_weights() const { dir.write("w.safetensors", safetensors_file(tensors)); }

  std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> args{"multihead",       "--weights", dir.path("w.safetensors"),
                                  "--heads",         "8",         "--input",
                                  dir.path("x.npy"), "--output",  dir.path("y.npy")};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }

  // Runs, and expects exit code `code`, `message` on standard error, and no new file.
  void expect_refusal(int code, const std::string& message, const std::vector<std::string>& args) {
    const auto before = dir.names();
    const ProcessResult result = run_headway(args);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith("headway: error: "));
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(dir.names(), before);
  }

  // Runs with these lengths and compares y.npy and a.npy to the oracle.
  void expect_oracle(const std::vector<size_t>& lengths, const std::vector<std::string>& more);

  TempDir dir;
  std::map<std::string, NamedTensor> tensors;
  std::vector<float> x;
};

void MultiHeadCommand::expect_oracle(const std::vector<size_t>& lengths,
                                     const std::vector<std::string>& more) {
  auto args = arguments(more);
  args.insert(args.end(), {"--weights-out", dir.path("a.npy")});
  const ProcessResult run = run_headway(args);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out + run.err, "");
  EXPECT_THAT(dir.names(), ElementsAre("a.npy", "w.safetensors", "x.npy", "y.npy"));

  std::vector<double> rows;
  for (size_t b = 0; b < kBatch; ++b)
    rows.insert(rows.end(), x.begin() + b * kTokens * kDim,
                x.begin() + (b * kTokens + lengths[b]) * kDim);
  const auto wide = [&](const char* name) {
    const auto found = tensors.find(name);
    return found == tensors.end() ? std::vector<double>() : reference::widen(found->second.values);
  };
  const auto qkv = wide("qkv.weight"), qkv_bias = wide("qkv.bias");
  const auto out = wide("out.weight"), out_bias = wide("out.bias");
  const reference::AttentionResult expected =
      reference::multi_head(rows, lengths, kHeads, {qkv, qkv_bias, out, out_bias});

  const NpyContent y = parse_npy(dir.read("y.npy")), a = parse_npy(dir.read("a.npy"));
  EXPECT_EQ(y.shape, "(2, 10, 64)");
  EXPECT_EQ(a.shape, "(2, 8, 10, 10)");
  ASSERT_EQ(y.values.size(), x.size());
  ASSERT_EQ(a.values.size(), kBatch * kHeads * kTokens * kTokens);
  const double* want = expected.output.data();
  for (size_t b = 0; b < kBatch; ++b)
    for (size_t t = 0; t < kTokens; ++t)
      for (size_t d = 0; d < kDim; ++d) {
        const float got = y.values[(b * kTokens + t) * kDim + d];
        if (t < lengths[b])
          ASSERT_NEAR(got, *want++, 2e-6 * std::sqrt(kDim)) << b << " " << t << " " << d;
        else
          ASSERT_EQ(got, 0) << b << " " << t << " " << d;
      }
  want = expected.weights.data();
  for (size_t b = 0; b < kBatch; ++b)
    for (size_t h = 0; h < kHeads; ++h)
      for (size_t q = 0; q < kTokens; ++q)
        for (size_t k = 0; k < kTokens; ++k) {
          const float got = a.values[((b * kHeads + h) * kTokens + q) * kTokens + k];
          if (q < lengths[b] && k < lengths[b])
            ASSERT_NEAR(got, *want++, 2e-6) << b << " " << h << " " << q << " " << k;
          else
            ASSERT_EQ(got, 0) << b << " " << h << " " << q << " " << k;
        }
}

TEST_F(MultiHeadCommand, equals_the_oracle) {
  expect_oracle({10, 10}, {});
}

TEST_F(MultiHeadCommand, with_a_qkv_bias_equals_the_oracle) {
  tensors["qkv.bias"] = {"[192]", linear_init(3 * kDim, 5)};
  write_weights();
  expect_oracle({10, 10}, {});
}

TEST_F(MultiHeadCommand, lengths_equal_the_oracle_and_leave_zeros_beyond) {
  expect_oracle({7, 10}, {"--lengths", "7,10"});
  expect_oracle({0, 3}, {"--lengths", "0,3", "--threads", "2"});
}

TEST_F(MultiHeadCommand, what_stands_beyond_a_length_has_no_influence) {
  ASSERT_EQ(run_headway(arguments({"--lengths", "4,10"})).code, 0);
  const std::string before = dir.read("y.npy");
  for (size_t i = 4 * kDim; i < kTokens * kDim; ++i) x[i] = NAN;
  dir.write("x.npy", npy_file("(2, 10, 64)", x));
  ASSERT_EQ(run_headway(arguments({"--lengths", "4,10"})).code, 0);
  EXPECT_EQ(dir.read("y.npy"), before);
}

TEST_F(MultiHeadCommand, a_lowered_isa_equals_the_oracle) {
  expect_oracle({10, 10}, {"--isa", "sse4"});
}

TEST_F(MultiHeadCommand, refuses_wrong_heads) {
  auto args = arguments();
  args[4] = "7";
  expect_refusal(1, "7", args);
  args[4] = "0";
  expect_refusal(2, "--heads", args);
}

TEST_F(MultiHeadCommand, refuses_wrong_lengths) {
  expect_refusal(2, "it takes 2", arguments({"--lengths", "10"}));
  expect_refusal(2, "it takes 2", arguments({"--lengths", "10,10,10"}));
  expect_refusal(2, "length 11 is not in 0..10", arguments({"--lengths", "10,11"}));
  expect_refusal(2, "length -1 is not in 0..10", arguments({"--lengths", "-1,10"}));
  expect_refusal(2, "--lengths", arguments({"--lengths", "10,ten"}));
}

TEST_F(MultiHeadCommand, refuses_bad_arrays) {
  dir.write("x.npy", "no array");
  expect_refusal(1, "x.npy", arguments());
  const std::string good = npy_file("(2, 10, 64)", x);
  dir.write("x.npy", good.substr(0, good.size() - 4));
  expect_refusal(1, "x.npy", arguments());
  dir.write("x.npy", npy_file("(20, 64)", x));
  expect_refusal(1, "[20, 64], expected [sequences, tokens, dim]", arguments());
  dir.write("x.npy", npy_file("(2, 20, 32)", x));
  expect_refusal(1, "x.npy\" is [2, 20, 32], but ", arguments());
  expect_refusal(1, "\"qkv.weight\" is [192, 64]: expected D = 64", arguments());
}

TEST_F(MultiHeadCommand, refuses_bad_weights) {
  tensors["out.weight"].shape = "[32, 128]";
  write_weights();
  expect_refusal(1, "out.weight", arguments());
  tensors.erase("out.weight");
  write_weights();
  expect_refusal(1, "out.weight", arguments());
  dir.write("w.safetensors", "no weights");
  expect_refusal(1, "w.safetensors", arguments());
}

TEST_F(MultiHeadCommand, refuses_files_it_cannot_read_or_write) {
  auto args = arguments();
  args[6] = dir.path("missing.npy");
  expect_refusal(1, "missing.npy", args);
  args = arguments();
  args[2] = dir.path("missing.safetensors");
  expect_refusal(1, "missing.safetensors", args);
  args = arguments();
  args[8] = dir.path("missing/y.npy");
  expect_refusal(1, "missing/y.npy", args);
}

TEST_F(MultiHeadCommand, refuses_to_overwrite_its_own_inputs) {
  auto args = arguments();
  args[8] = args[6];
  expect_refusal(2, "also named by --input", args);
  args[8] = args[2];
  expect_refusal(2, "also named by --weights", args);
  expect_refusal(2, "also named by --output", arguments({"--weights-out", dir.path("y.npy")}));
}

TEST_F(MultiHeadCommand, a_failed_second_output_leaves_no_first) {
  expect_refusal(1, "missing/a.npy", arguments({"--weights-out", dir.path("missing/a.npy")}));
}

}  // namespace
}  // namespace headway::cli
