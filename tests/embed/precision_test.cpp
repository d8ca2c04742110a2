// How far bf16 and int8 take the vectors of the real model from f32, and whether neighbours stay
// neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "engine/ops/precision.hpp"
#include "headway/embedder.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

// The first texts of the mix that benchmarks run.
std::vector<std::string> mixed_texts(size_t count) {
  std::ifstream in(HEADWAY_SOURCE_DIR "/bench/data/texts-2000.txt");
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    if (!std::getline(in, text)) throw std::runtime_error("bench/data/texts-2000.txt is too short");
  }
  return texts;
}

Embeddings embed(const std::vector<std::string>& texts, Precision precision) {
  return Embedder::open(real_model_directory(), {.precision = precision}).embed(texts);
}

// Vectors have length 1.
double similarity(const Embeddings& a, int64_t i, const Embeddings& b, int64_t j) {
  const auto x = a.row(i), y = b.row(j);
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

// The 10 texts nearest to text i, in order of their numbers.
std::vector<int64_t> neighbours(const Embeddings& all, int64_t i) {
  std::vector<std::pair<double, int64_t>> found;
  for (int64_t j = 0; j < all.texts; ++j) {
    if (j != i) found.emplace_back(-similarity(all, i, all, j), j);
  }
  std::partial_sort(found.begin(), found.begin() + 10, found.end());
  std::vector<int64_t> nearest;
  for (int rank = 0; rank < 10; ++rank) nearest.push_back(found[rank].second);
  std::sort(nearest.begin(), nearest.end());
  return nearest;
}

double neighbours_kept(const Embeddings& a, const Embeddings& b) {
  int64_t kept = 0;
  for (int64_t i = 0; i < a.texts; ++i) {
    std::vector<int64_t> both;
    const auto x = neighbours(a, i), y = neighbours(b, i);
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
    kept += static_cast<int64_t>(both.size());
  }
  return static_cast<double>(kept) / (10.0 * static_cast<double>(a.texts));
}

struct Bar {
  Precision precision;
  double mean, least, kept;
};

void PrintTo(const Bar& bar, std::ostream* out) {
  *out << to_string(bar.precision);
}

class PrecisionQuality : public testing::TestWithParam<Bar> {};

TEST_P(PrecisionQuality, StaysAboveItsBar) {
  const Bar bar = GetParam();
  const std::vector<std::string> texts = mixed_texts(500);
  const Embeddings exact = embed(texts, Precision::f32), got = embed(texts, bar.precision);
  double sum = 0, least = 1;
  for (int64_t i = 0; i < exact.texts; ++i) {
    const double cosine = similarity(exact, i, got, i);
    sum += cosine;
    least = std::min(least, cosine);
  }
  EXPECT_GE(sum / static_cast<double>(exact.texts), bar.mean);
  EXPECT_GE(least, bar.least);
  EXPECT_LT(least, 0.999999) << "computed in f32?";
  EXPECT_GE(neighbours_kept(exact, got), bar.kept);
}

// Those that this CPU is fast in; an engine refuses the others (tests/graph/precision_test.cpp).
std::vector<Bar> bars() {
  std::vector<Bar> bars;
  for (const Bar& bar :
       {Bar{Precision::bf16, 0.9999, 0.9999, 0.985}, Bar{Precision::int8, 0.998, 0.995, 0.95}}) {
    if (is_fast(bar.precision)) bars.push_back(bar);
  }
  return bars;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PrecisionQuality);
INSTANTIATE_TEST_SUITE_P(All, PrecisionQuality, testing::ValuesIn(bars()),
                         [](const auto& tested) { return to_string(tested.param.precision); });

}  // namespace
}  // namespace headway
