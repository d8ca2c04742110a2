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

// The numbers of the 10 texts nearest to each text, rising.
std::vector<std::vector<int64_t>> neighbours(const Embeddings& all) {
  std::vector<std::vector<int64_t>> nearest;
  for (int64_t i = 0; i < all.texts; ++i) {
    std::vector<std::pair<double, int64_t>> found;
    for (int64_t j = 0; j < all.texts; ++j) {
      if (j != i) found.emplace_back(-similarity(all, i, all, j), j);
    }
    std::partial_sort(found.begin(), found.begin() + 10, found.end());
    std::vector<int64_t>& ten = nearest.emplace_back();
    for (int rank = 0; rank < 10; ++rank) ten.push_back(found[rank].second);
    std::sort(ten.begin(), ten.end());
  }
  return nearest;
}

// The part of the neighbours that both have.
double kept(const std::vector<std::vector<int64_t>>& a,
            const std::vector<std::vector<int64_t>>& b) {
  std::vector<int64_t> both;
  for (size_t i = 0; i < a.size(); ++i)
    std::set_intersection(a[i].begin(), a[i].end(), b[i].begin(), b[i].end(),
                          std::back_inserter(both));
  return static_cast<double>(both.size()) / (10.0 * static_cast<double>(a.size()));
}

struct Bar {
  Precision precision;
  double mean, least, kept;
};

// Those that this CPU is fast in; an engine refuses the others (tests/graph/precision_test.cpp).
std::vector<Bar> bars() {
  std::vector<Bar> bars;
  for (const Bar& bar :
       {Bar{Precision::bf16, 0.9999, 0.9999, 0.985}, Bar{Precision::int8, 0.998, 0.995, 0.95}}) {
    if (is_fast(bar.precision)) bars.push_back(bar);
  }
  return bars;
}

// All 2000 texts: mean, least, kept are 0.99999, 0.99998, 0.996 in bf16 and 0.9991, 0.9977, 0.963
// in int8. One test, so that f32 is computed once; 25 s on two cores. Builds for debugging, several
// times slower, take a quarter of the texts.
TEST(PrecisionQuality, StaysAboveItsBars) {
  if (bars().empty()) return;
#ifdef NDEBUG
  const std::vector<std::string> texts = mixed_texts(2000);
#else
  const std::vector<std::string> texts = mixed_texts(500);
#endif
  const Embeddings exact = embed(texts, Precision::f32);
  const auto exact_neighbours = neighbours(exact);
  for (const Bar& bar : bars()) {
    SCOPED_TRACE(to_string(bar.precision));
    const Embeddings got = embed(texts, bar.precision);
    double sum = 0, least = 1;
    for (int64_t i = 0; i < exact.texts; ++i) {
      const double cosine = similarity(exact, i, got, i);
      sum += cosine;
      least = std::min(least, cosine);
    }
    EXPECT_GE(sum / static_cast<double>(exact.texts), bar.mean);
    EXPECT_GE(least, bar.least);
    EXPECT_LT(least, 0.999999) << "computed in f32?";
    EXPECT_GE(kept(exact_neighbours, neighbours(got)), bar.kept);
  }
}

}  // namespace
}  // namespace headway
