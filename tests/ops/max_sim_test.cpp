// MaxSim: the sum of the greatest products, against the same in double.
#include "engine/ops/max_sim.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random.hpp"

namespace headway {
namespace {

double expected(const std::vector<float>& query, const std::vector<float>& document, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < query.size(); i += dim) {
    double greatest = -std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < document.size(); j += dim) {
      double product = 0;
      for (size_t k = 0; k < dim; ++k) product += double{query[i + k]} * document[j + k];
      greatest = std::max(greatest, product);
    }
    sum += greatest;
  }
  return sum;
}

TEST(MaxSim, SumsTheGreatestProducts) {
  Random random(1);
  for (const size_t dim : {1, 3, 16, 17, 96, 128, 200})
    for (const size_t queries : {0, 1, 2, 15, 16, 33, 64, 65, 130}) {
      const std::vector<float> query = random.normals(static_cast<int64_t>(queries * dim));
      MaxSim sim(query, dim);
      for (const size_t tokens : {1, 2, 7, 63, 64, 65, 200}) {
        const std::vector<float> document = random.normals(static_cast<int64_t>(tokens * dim));
        // Each product has a rounding error of at most dim units of the sum of its terms' sizes.
        const auto terms = static_cast<double>(queries * dim);
        EXPECT_NEAR(sim.of(document), expected(query, document, dim),
                    1e-6 * terms * std::sqrt(static_cast<double>(dim)))
            << dim << " numbers, " << queries << " and " << tokens << " tokens";
      }
    }
}

TEST(MaxSim, NegativeProductsCountAsTheyAre) {
  const std::vector<float> query = {1, 0}, document = {-3, 0, -2, 5};
  EXPECT_EQ(MaxSim(query, 2).of(document), -2);
}

TEST(MaxSim, OfADocumentWithoutTokens) {
  const std::vector<float> query = {1, 2};
  EXPECT_EQ(MaxSim(query, 2).of({}), -1e9);
  EXPECT_EQ(MaxSim({}, 2).of({}), -1e9);
  EXPECT_EQ(MaxSim({}, 2).of(query), 0);
}

TEST(MaxSim, KeepsNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t place = 0; place < 3; ++place) {
    std::vector<float> document = {1, 2, 3};
    document[place] = nan;
    const std::vector<float> query = {1, 1};
    EXPECT_TRUE(std::isnan(MaxSim(query, 1).of(document))) << place;
  }
}

// One row at a time and in any number, the bits are those of the row.
TEST(MaxSim, DependsOnNothingElse) {
  Random random(2);
  const size_t dim = 96, tokens = 150;
  const std::vector<float> query = random.normals(static_cast<int64_t>(20 * dim));
  const std::vector<float> document = random.normals(static_cast<int64_t>(tokens * dim));
  MaxSim all(query, dim);
  double sum = 0;
  for (size_t i = 0; i < 20; ++i) {
    MaxSim one{std::span(query).subspan(i * dim, dim), dim};
    double greatest = -1e30;
    for (size_t j = 0; j < tokens; ++j)
      greatest = std::max(greatest, one.of(std::span(document).subspan(j * dim, dim)));
    sum += greatest;
  }
  EXPECT_EQ(all.of(document), sum);
}

}  // namespace
}  // namespace headway
