// Every attention strategy against the oracle, on shapes with queries and keys of their own.
#include "engine/ops/attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/ops/instruction_set.hpp"
#include "engine/ops/precision.hpp"
#include "tests/ops/operand.hpp"
#include "tests/reference/attention.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr double kUnit = 0x1p-24;  // f32's unit roundoff
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// One sequence: q, k and v in rows of different strides, NaN between them.
struct Sequence {
  Sequence(Random& random, int64_t queries, int64_t keys, int64_t heads, int64_t size)
      : shape{.queries = queries,
              .keys = keys,
              .heads = heads,
              .kv_heads = heads,
              .size = size,
              .value_size = size,
              .q = {size, heads * size + 3},
              .k = {size, 2 * heads * size},
              .v = {size, heads * size + 16},
              .out = {size, heads * size + 5},
              .scores = {queries * keys, keys},
              .rule = {.scale = 1 / std::sqrt(static_cast<float>(size))}},
        q(rows(random, queries, shape.q.token)),
        k(rows(random, keys, shape.k.token)),
        v(rows(random, keys, shape.v.token)) {}

  std::vector<float> rows(Random& random, int64_t count, int64_t stride) const {
    const int64_t width = shape.heads * shape.size;
    std::vector<float> values = random.normals(count * stride);
    for (int64_t i = 0; i < count; ++i)
      std::fill_n(values.begin() + i * stride + width, stride - width, kNaN);
    // Nothing lies behind the last row's values.
    values.resize((count - 1) * stride + width);
    return values;
  }

  reference::AttentionResult exact() const {
    const std::vector<double> wide_q = reference::widen(q), wide_k = reference::widen(k),
                              wide_v = reference::widen(v);
    const auto rows = [](const std::vector<double>& values, int64_t count, int64_t stride) {
      return reference::Rows{values.data(), static_cast<size_t>(count),
                             static_cast<size_t>(stride)};
    };
    return reference::attention(
        rows(wide_q, shape.queries, shape.q.token), rows(wide_k, shape.keys, shape.k.token),
        rows(wide_v, shape.keys, shape.v.token), shape.heads, shape.size, shape.rule.scale);
  }

  AttentionShape shape;
  std::vector<float> q, k, v;
};

// What a strategy has written; NaN where it has not.
struct Result {
  explicit Result(const AttentionShape& s)
      : out(((s.queries - 1) * s.out.token + s.heads * s.size), kNaN),
        scores(s.heads * s.queries * s.keys, kNaN) {}
  std::vector<float> out;     // at out.token
  std::vector<float> scores;  // [H, Tq, Tk]
};

std::vector<AttentionItem> items(const AttentionMethod& method, const AttentionShape& s) {
  const AttentionItem size = method.item_size(s);
  std::vector<AttentionItem> result;
  for (int64_t query = 0; query < s.queries; query += size.queries) {
    for (int64_t head = 0; head < s.heads; head += size.heads) {
      result.push_back({head, std::min(size.heads, s.heads - head), query,
                        std::min(size.queries, s.queries - query)});
    }
  }
  return result;
}

void run_items(const AttentionMethod& method, const Sequence& sequence,
               std::span<const AttentionItem> items, bool out, bool scores, Result& result) {
  Placed<std::byte> scratch(static_cast<int64_t>(method.scratch_bytes(sequence.shape, scores)),
                            std::byte{0xff});
  const AttentionData data{
      .q = sequence.q.data(),
      .k = sequence.k.data(),
      .v = sequence.v.data(),
      .out = out ? result.out.data() : nullptr,
      .scores = scores || method.needs_scores ? result.scores.data() : nullptr};
  for (const AttentionItem& item : items) method.run(sequence.shape, data, item, scratch.data());
}

Result run(const AttentionMethod& method, const Sequence& sequence, bool out, bool scores) {
  Result result(sequence.shape);
  run_items(method, sequence, items(method, sequence.shape), out, scores, result);
  return result;
}

// Calls check(sequence, method) for each strategy on many shapes.
template <typename Check>
void for_each_case(const Check& check) {
  Random random(11);
  std::vector<std::pair<int64_t, int64_t>> lengths = {{1, 513}, {513, 1},  {7, 200},
                                                      {200, 7}, {64, 128}, {300, 17}};
  for (const int64_t tokens : {1, 2, 7, 16, 17, 64, 128, 200, 513})
    lengths.push_back({tokens, tokens});
  for (const auto& [queries, keys] : lengths) {
    for (const int64_t size : {1, 8, 20, 32, 64}) {
      // 5 heads do not divide into the items of a middle length.
      const Sequence sequence(random, queries, keys, queries * keys > 50000 ? 2 : 5, size);
      SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, "
                                      << sequence.shape.heads << " heads of " << size);
      check(sequence);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class AttentionTest : public testing::Test {
 protected:
  void SetUp() override { hold_instruction_set(); }
};

TEST_F(AttentionTest, agrees_with_the_oracle) {
  for_each_case([](const Sequence& sequence) {
    const AttentionShape& s = sequence.shape;
    const reference::AttentionResult exact = sequence.exact();
    const int64_t width = s.heads * s.size;
    // A score is a sum of `size` products; its error moves weights by as much, relative to them.
    // The values' own sum adds less.
    const double tolerance = 64 * kUnit * std::sqrt(static_cast<double>(s.size));
    for (const AttentionMethod& method : attention_methods()) {
      SCOPED_TRACE(method.name);
      Result result = run(method, sequence, true, true);
      for (int64_t i = 0; i < s.queries * width; ++i) {
        float& got = result.out[i / width * s.out.token + i % width];
        ASSERT_NEAR(got, exact.output[i], tolerance) << "out " << i;
        got = kNaN;
      }
      for (const float value : result.out) ASSERT_TRUE(std::isnan(value)) << "between rows";
      for (size_t row = 0; row < result.scores.size(); row += s.keys) {
        double sum = 0;
        for (int64_t key = 0; key < s.keys; ++key) {
          const float weight = result.scores[row + key];
          ASSERT_NEAR(weight, exact.weights[row + key], tolerance)
              << "weight " << row << ' ' << key;
          sum += weight;
        }
        // One rounding of each weight, and of the sum they were divided by.
        ASSERT_NEAR(sum, 1, static_cast<double>(s.keys + 4) * kUnit) << "row of weights " << row;
      }
    }
  });
}

// Rounding inputs N(0, 1) to 8 bits moves a score by about 2^-8, and so the weights.
TEST_F(AttentionTest, rounds_to_bf16_where_it_may) {
  if (!is_fast(Precision::bf16)) return;
  for_each_case([](Sequence sequence) {
    const int64_t width = sequence.shape.heads * sequence.shape.size;
    const reference::AttentionResult exact = sequence.exact();
    for (const AttentionMethod& method : attention_methods()) {
      SCOPED_TRACE(method.name);
      sequence.shape.bf16 = false;
      const Result plain = run(method, sequence, true, false);
      sequence.shape.bf16 = true;
      const Result rounded = run(method, sequence, true, false);
      double change = 0;
      for (int64_t i = 0; i < sequence.shape.queries * width; ++i) {
        const int64_t place = i / width * sequence.shape.out.token + i % width;
        ASSERT_NEAR(rounded.out[place], exact.output[i], 0.06) << "out " << i;
        change = std::max(change, std::abs(double{rounded.out[place]} - plain.out[place]));
      }
      EXPECT_EQ(change > 1e-5, method.has_bf16);
    }
  });
}

TEST_F(AttentionTest, gives_the_same_bits_whatever_is_asked_for) {
  for_each_case([](const Sequence& sequence) {
    for (const AttentionMethod& method : attention_methods()) {
      const Result both = run(method, sequence, true, true);
      EXPECT_TRUE(same_bits(run(method, sequence, true, false).out, both.out)) << method.name;
      EXPECT_TRUE(same_bits(run(method, sequence, false, true).scores, both.scores)) << method.name;
    }
  });
}

// Each item alone writes its heads of its queries and nothing else.
TEST_F(AttentionTest, writes_an_item_and_nothing_beside_it) {
  Random random(12);
  for (const auto& [queries, keys] : {std::pair<int64_t, int64_t>{17, 17}, {100, 30}, {400, 250}}) {
    const Sequence sequence(random, queries, keys, 5, 8);
    const AttentionShape& s = sequence.shape;
    for (const AttentionMethod& method : attention_methods()) {
      const Result all = run(method, sequence, true, true);
      for (const AttentionItem& item : items(method, s)) {
        SCOPED_TRACE(testing::Message()
                     << method.name << ", heads " << item.head << " + " << item.heads
                     << ", queries " << item.query << " + " << item.queries);
        Result expected(s), got(s);
        for (int64_t query = item.query; query < item.query + item.queries; ++query) {
          const int64_t begin = query * s.out.token + item.head * s.size;
          std::copy_n(all.out.begin() + begin, item.heads * s.size, expected.out.begin() + begin);
          for (int64_t head = item.head; head < item.head + item.heads; ++head) {
            const int64_t row = (head * s.queries + query) * s.keys;
            std::copy_n(all.scores.begin() + row, s.keys, expected.scores.begin() + row);
          }
        }
        run_items(method, sequence, std::span(&item, 1), true, true, got);
        EXPECT_TRUE(same_bits(got.out, expected.out));
        EXPECT_TRUE(same_bits(got.scores, expected.scores));
      }
    }
  }
}

// What a thread of the tiled strategy needs does not grow with the sequence, whatever the rule.
TEST_F(AttentionTest, tiled_needs_no_more_for_long_sequences) {
  Random random(14);
  AttentionShape shape = Sequence(random, 1, 1, 8, 64).shape;
  const float slope = 1;
  for (const bool biased : {false, true}) {
    if (biased) shape.rule.slopes = shape.rule.relative = &slope;
    shape.queries = shape.keys = 256;
    const size_t bytes = attend_scratch(AttentionStrategy::tiled, shape, false);
    shape.queries = shape.keys = 32768;
    EXPECT_EQ(attend_scratch(AttentionStrategy::tiled, shape, false), bytes);
    EXPECT_LT(bytes, size_t{1} << 20);
  }
}

TEST_F(AttentionTest, takes_the_strategy_asked_for) {
  Random random(13);
  const Sequence sequence(random, 4, 4, 2, 8);
  for (const AttentionMethod& method : attention_methods())
    EXPECT_EQ(&choose_attention(method.strategy, sequence.shape), &method) << method.name;
  EXPECT_TRUE(
      choose_attention(AttentionStrategy::automatic, sequence.shape).chosen(sequence.shape));
  expect_error(ErrorCode::invalid_argument, "attention strategy 99 is not known",
               [&] { choose_attention(static_cast<AttentionStrategy>(99), sequence.shape); });
}

}  // namespace
}  // namespace headway
