// BPE: long and short words take different ways, which must agree (golden_step_test.cpp compares
// with the reference, mostly on short ones).
#include "engine/text/bpe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/text/golden_hash.hpp"

namespace headway {
namespace {

struct Case {
  Vocabulary vocabulary;
  BpeOptions options;
};

// Merges of random tokens in random order, so that later ones are often due before earlier ones.
void make_random(Draw& draw, Case& c) {
  std::vector<std::string> tokens = {"a", "b", "c"};
  for (int32_t i = 0; i < 3; ++i) c.vocabulary.add(tokens[static_cast<size_t>(i)], i);
  while (tokens.size() < 40) {
    const std::string joined = tokens[draw.below(static_cast<uint32_t>(tokens.size()))] +
                               tokens[draw.below(static_cast<uint32_t>(tokens.size()))];
    if (joined.size() < 9 &&
        c.vocabulary.add(joined, static_cast<int32_t>(tokens.size())) == Vocabulary::Added::yes)
      tokens.push_back(joined);
  }
  for (const std::string& left : tokens)
    for (const std::string& right : tokens)
      if (const auto joined = c.vocabulary.find(left + right); joined && draw.below(3) > 0)
        c.options.merges.push_back({*c.vocabulary.find(left), *c.vocabulary.find(right), *joined});
  for (size_t i = c.options.merges.size(); i > 1; --i)
    std::swap(c.options.merges[i - 1], c.options.merges[draw.below(static_cast<uint32_t>(i))]);
}

// The definition: join the pair of lowest rank, of equal ones the leftmost, until there is none.
std::vector<int32_t> by_definition(const Case& c, std::string_view word) {
  std::map<std::pair<int32_t, int32_t>, size_t> ranks;
  for (size_t i = 0; i < c.options.merges.size(); ++i)
    ranks[{c.options.merges[i].left, c.options.merges[i].right}] = i;
  std::vector<int32_t> ids;
  for (const char byte : word) ids.push_back(*c.vocabulary.find(std::string_view(&byte, 1)));
  for (;;) {
    size_t best = SIZE_MAX, at = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto found = ranks.find({ids[i], ids[i + 1]});
      if (found == ranks.end() || found->second >= best) continue;
      best = found->second;
      at = i;
    }
    if (best == SIZE_MAX) return ids;
    ids[at] = c.options.merges[best].joined;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST(Bpe, JoinsInTheOrderOfTheListWhateverTheLength) {
  Draw draw(0x9E3779B97F4A7C15);
  Bpe::Memory memory;  // used for all, as a thread would
  size_t long_words = 0;
  for (int i = 0; i < 30; ++i) {
    Case c;
    make_random(draw, c);
    const Bpe bpe(c.vocabulary, c.options);
    for (int j = 0; j < 40; ++j) {
      std::string word;
      const uint32_t letters = 1 + draw.below(3);  // runs of one letter have many equal ranks
      for (uint32_t length = 1 + draw.below(120); length > 0; --length)
        word += static_cast<char>('a' + draw.below(letters));
      if (draw.below(4) == 0)  // a few long runs
        for (uint32_t run = 1 + draw.below(4); run > 0; --run)
          word += std::string(draw.below(40), static_cast<char>('a' + draw.below(3)));
      long_words += word.size() > 40;
      std::vector<int32_t> ids;
      bpe.encode(word, memory, ids);
      ASSERT_EQ(ids, by_definition(c, word)) << word;
    }
  }
  EXPECT_GT(long_words, 500u);
}

}  // namespace
}  // namespace headway
