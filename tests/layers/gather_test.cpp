// Rows picked by place: which come out, and what is refused.
#include <gtest/gtest.h>

#include "headway/layers.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/random.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kWidth = 19;

// The graph y = x[places].
class Picks {
 public:
  Picks() {
    const Value x = graph_.input("x", DType::f32, kWidth);
    graph_.output("y", gather(graph_, x, graph_.input("places", DType::i32, 1), "some"));
  }

  std::vector<float> run(const Batch& batch, const std::vector<float>& x, const Batch& picks,
                         const std::vector<int32_t>& places, Mode mode = Mode::automatic) const {
    RunOptions options;
    options.mode = mode;
    std::vector<float> y(places.size() * kWidth);
    compile(graph_, {.threads = 2})
        .run({{"x", batch, {x.data(), {batch.rows(), kWidth}}},
              {"places", picks, {places.data(), {picks.rows(), 1}}}},
             {{"y", {y.data(), {picks.rows(), kWidth}}}}, options);
    return y;
  }

 private:
  Graph graph_;
};

// Sequences without picks, one of which is without tokens, picks in any order and again, and enough
// rows for several groups.
TEST(Gather, TakesTheRowsAtThesePlaces) {
  Random random(3);
  std::vector<int64_t> lengths = {3, 0, 40, 1}, picks = {2, 0, 70, 0};
  std::vector<int32_t> places = {2, 0};
  for (int32_t pick = 0; pick < 70; ++pick) places.push_back((pick * 7) % 40);
  for (int i = 0; i < 60; ++i) {
    lengths.push_back(30);
    picks.push_back(1);
    places.push_back(i % 30);
  }
  const Batch batch = Batch::ragged(lengths), picked = Batch::ragged(picks);
  const std::vector<float> x = random.normals(batch.rows() * kWidth);
  std::vector<float> expected;
  size_t next = 0;
  for (size_t sequence = 0; sequence < picks.size(); ++sequence)
    for (int64_t pick = 0; pick < picks[sequence]; ++pick) {
      const int64_t row = batch.offsets()[sequence] + places[next++];
      expected.insert(expected.end(), x.begin() + row * kWidth, x.begin() + (row + 1) * kWidth);
    }
  for (const Mode mode : {Mode::across, Mode::inside})
    EXPECT_TRUE(same_bits(Picks().run(batch, x, picked, places, mode), expected));
}

TEST(Gather, RefusesPlacesOutsideTheirSequence) {
  const std::vector<float> x(7 * kWidth);
  const Batch batch = Batch::ragged(std::vector<int64_t>{4, 0, 3});
  const auto expect_refused = [&](const std::vector<int64_t>& picks, int32_t place,
                                  const std::string& message) {
    expect_error(ErrorCode::invalid_argument, "layer 'some' (Gather): " + message,
                 [&] { Picks().run(batch, x, Batch::ragged(picks), {place}); });
  };
  expect_refused({1, 0, 0}, 4, "place 4 is outside sequence 0 of 4 tokens");
  expect_refused({0, 1, 0}, 0, "place 0 is outside sequence 1 of 0 tokens");
  expect_refused({0, 0, 1}, -1, "place -1 is outside sequence 2 of 3 tokens");
}

}  // namespace
}  // namespace headway
