// Same sequence, same bits: whatever else is in the batch, in any order, on any number of threads,
// in either mode, with any outputs asked for, in any run, under any memory limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "engine/ops/precision.hpp"
#include "tests/properties/models.hpp"

namespace headway {
namespace {

struct Case {
  const char* name;
  std::unique_ptr<Model> (*make)();
  Precision precision = Precision::f32;
  bool hides_keys = false;
};

void PrintTo(const Case& model, std::ostream* out) {
  *out << model.name;
}

const Case kCases[] = {
    {"seed", [] { return std::unique_ptr<Model>(new MultiHeadModel(64, 8)); }},
    {"seed_materialized",
     [] {
       return std::unique_ptr<Model>(new MultiHeadModel(64, 8, AttentionStrategy::materialized));
     }},
    // Heads of 20 numbers and two panels of unequal width in the projections.
    {"odd", [] { return std::unique_ptr<Model>(new MultiHeadModel(100, 5)); }},
    {"bert", [] { return std::unique_ptr<Model>(new BertModel); }},
    {"bert_bf16", [] { return std::unique_ptr<Model>(new BertModel); }, Precision::bf16},
    {"bert_int8", [] { return std::unique_ptr<Model>(new BertModel); }, Precision::int8},
    {"gated", [] { return std::unique_ptr<Model>(new GatedModel); }},
    {"gated_bf16", [] { return std::unique_ptr<Model>(new GatedModel); }, Precision::bf16},
    {"gated_int8", [] { return std::unique_ptr<Model>(new GatedModel); }, Precision::int8},
    {"hidden_keys", [] { return std::unique_ptr<Model>(new BertModel); }, Precision::f32, true},
    {"hidden_keys_gated_bf16", [] { return std::unique_ptr<Model>(new GatedModel); },
     Precision::bf16, true},
};

// Those in a precision that this CPU is fast in; an engine refuses the others
// (tests/graph/precision_test.cpp).
std::vector<Case> cases() {
  std::vector<Case> cases;
  for (const Case& each : kCases) {
    if (is_fast(each.precision)) cases.push_back(each);
  }
  return cases;
}

std::unique_ptr<Model> make(const Case& each) {
  std::unique_ptr<Model> model = each.make();
  model->precision = each.precision;
  model->hides_keys = each.hides_keys;
  return model;
}

bool same(const std::vector<float>& got, const std::vector<float>& expected) {
  return got.size() == expected.size() &&
         (got.empty() || std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0);
}

// Only what was asked for.
bool same(const Result& got, const Result& expected, const Wanted& wanted) {
  return (!wanted.hidden || same(got.hidden, expected.hidden)) &&
         (!wanted.weights || same(got.weights, expected.weights)) &&
         (!wanted.vector || same(got.vector, expected.vector));
}

RunOptions in_mode(Mode mode) {
  RunOptions options;
  options.mode = mode;
  return options;
}

constexpr Mode kModes[] = {Mode::automatic, Mode::across, Mode::inside};

class SameBits : public testing::TestWithParam<Case> {
 protected:
  SameBits() {
    // Around the tiles of a Linear (16 and 64 rows), none, and longer than a group's share; many
    // enough for several groups of 512 rows.
    const std::vector<int64_t> lengths = {7,  1,   130, 16, 0,  17, 2,   300, 64, 33,
                                          15, 65,  5,   48, 1,  9,  100, 3,   31, 20,
                                          0,  127, 40,  16, 11, 80, 4,   12,  6,  54};
    Random random(77);
    for (const int64_t length : lengths) {
      sequences.push_back(model->sequence(random, length));
      alone.push_back(run(engines[0], {sequences.back()})[0]);
    }
  }

  std::vector<Result> run(const Engine& engine, const std::vector<Sequence>& batch,
                          const RunOptions& options = {}, const Wanted& wanted = {}) const {
    BoundBatch bound(*model, batch, wanted);
    bound.run(engine, options);
    return bound.results(*model);
  }

  // Sequence order[i] of the whole, run together, is as alone.
  void expect_as_alone(const Engine& engine, const std::vector<size_t>& order,
                       const RunOptions& options = {}, const Wanted& wanted = {}) const {
    std::vector<Sequence> batch;
    for (const size_t i : order) batch.push_back(sequences[i]);
    const std::vector<Result> results = run(engine, batch, options, wanted);
    ASSERT_EQ(results.size(), order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_TRUE(same(results[i], alone[order[i]], wanted))
          << "sequence " << order[i] << " of " << sequences[order[i]].length << " tokens at place "
          << i;
    }
  }

  std::vector<size_t> in_order() const {
    std::vector<size_t> order(sequences.size());
    std::iota(order.begin(), order.end(), size_t{0});
    return order;
  }

  const std::unique_ptr<Model> model = make(GetParam());
  const std::vector<Engine> engines = {model->engine(1), model->engine(2), model->engine(5)};
  std::vector<Sequence> sequences;
  std::vector<Result> alone;  // on one thread, all outputs
};

TEST_P(SameBits, OnAnyThreadsInAnyModeWithAnyOutputs) {
  const Wanted all, hidden{true, false, false}, weights{false, true, false},
      vector{false, false, true}, no_weights{true, false, true};
  for (const Engine& engine : engines)
    for (const Mode mode : kModes)
      for (const Wanted& wanted : {all, hidden, weights, vector, no_weights}) {
        SCOPED_TRACE(testing::Message()
                     << engine.info().threads << " threads, mode " << static_cast<int>(mode)
                     << ", outputs " << wanted.hidden << wanted.weights << wanted.vector);
        expect_as_alone(engine, in_order(), in_mode(mode), wanted);
      }
}

TEST_P(SameBits, AloneOnATeam) {
  for (const size_t i : in_order())
    for (const Engine& engine : {engines[1], engines[2]})
      expect_as_alone(engine, {i}, in_mode(Mode::inside));
}

TEST_P(SameBits, InAnyOrderAndCompany) {
  std::mt19937 bits(5);
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    std::vector<size_t> order = in_order();
    std::shuffle(order.begin(), order.end(), bits);
    if (round % 2 == 1) order.resize(order.size() / 3);
    expect_as_alone(engines[static_cast<size_t>(round) % 3], order, in_mode(kModes[round / 2]));
  }
  // Many of the same.
  expect_as_alone(engines[1], std::vector<size_t>(40, 5));
}

TEST_P(SameBits, WithFewerThreadsThanTheLimit) {
  for (int threads = 1; threads <= 4; ++threads) {
    RunOptions options = in_mode(Mode::inside);
    options.threads = threads;
    expect_as_alone(engines[2], in_order(), options);
  }
}

TEST_P(SameBits, AgainAndAfterTrim) {
  for (int round = 0; round < 4; ++round) {
    expect_as_alone(engines[1], in_order());
    if (round == 1) engines[1].trim();
  }
}

// Small memory cuts the batch into other groups.
TEST_P(SameBits, UnderAMemoryLimit) {
  size_t needed = 0;
  for (const Sequence& sequence : sequences)
    needed = std::max(needed, engines[0].planned_memory(Batch::dense(1, sequence.length)));
  for (const int threads : {1, 2})
    for (const Mode mode : {Mode::across, Mode::inside}) {
      // Scratch of a second thread is far below one half more.
      const Engine engine =
          model->engine(threads, static_cast<size_t>(threads) * (needed + needed / 2));
      expect_as_alone(engine, in_order(), in_mode(mode));
    }
}

TEST_P(SameBits, FromEightThreadsAtOnce) {
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&, caller] {
        try {
          std::mt19937 bits(static_cast<uint32_t>(caller));
          std::vector<size_t> order = in_order();
          for (const Mode mode : kModes) {
            std::shuffle(order.begin(), order.end(), bits);
            std::vector<Sequence> batch;
            for (const size_t i : order) batch.push_back(sequences[i]);
            const auto results = run(engines[1 + caller % 2], batch, in_mode(mode));
            for (size_t i = 0; i < order.size(); ++i)
              wrong += !same(results[i], alone[order[i]], Wanted());
          }
        } catch (const std::exception&) {
          wrong += 1000;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

// The comparisons above can fail: a change of one number, or of one id, is another result.
TEST_P(SameBits, OfAnotherSequenceAreOthers) {
  Sequence changed = sequences[0];
  if (model->by_id) {
    changed.ids[3] = (changed.ids[3] + 1) % static_cast<int32_t>(Model::kVocabulary);
  } else {
    changed.x[3] *= 1.001f;
  }
  const Result other = run(engines[0], {changed})[0];
  EXPECT_FALSE(same(other.hidden, alone[0].hidden));
  EXPECT_FALSE(same(other.weights, alone[0].weights));
  EXPECT_FALSE(same(other.vector, alone[0].vector));
}

// What a batch mate holds does not matter, be it no number at all.
TEST_P(SameBits, BesideMatesThatAreNoNumbers) {
  if (model->by_id) return;  // ids are numbers
  std::vector<Sequence> batch;
  for (const Sequence& sequence : sequences) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Sequence bad{5, 5, std::vector<float>(static_cast<size_t>(5 * model->dim), value), {}};
      batch.push_back(bad);
    }
    batch.push_back(sequence);
  }
  for (const Mode mode : kModes) {
    const auto results = run(engines[1], batch, in_mode(mode));
    for (size_t i = 0; i < sequences.size(); ++i) {
      EXPECT_TRUE(same(results[3 * i + 2], alone[i], Wanted())) << i;
      EXPECT_TRUE(std::isnan(results[3 * i].vector[0]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SameBits, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace headway
