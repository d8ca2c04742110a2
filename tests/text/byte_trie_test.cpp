// The trie and the vocabulary over it.
#include "engine/text/byte_trie.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/text/vocabulary.hpp"

namespace headway {
namespace {

TEST(ByteTrie, FindsWhatWasPutInAndNothingElse) {
  std::map<std::string, int32_t> all;
  ByteTrie trie;
  // Keys that share beginnings, enough of them for several rounds of growth.
  for (int32_t i = 0; i < 20000; ++i) {
    const std::string key = std::to_string(uint32_t(i) * 2654435761u % 100000);
    const bool fresh = all.emplace(key, i).second;
    ASSERT_EQ(trie.insert(key, i), fresh);
  }
  for (int i = 0; i < 100000; ++i) {
    const std::string key = std::to_string(i);
    const uint32_t node = trie.find(key);
    const int32_t value = node == ByteTrie::kNone ? -1 : trie.value(node);
    const auto expected = all.find(key);
    ASSERT_EQ(value, expected == all.end() ? -1 : expected->second) << key;
  }
}

TEST(ByteTrie, EveryByteIsAnEdge) {
  ByteTrie trie;
  for (int32_t i = 0; i < 256; ++i) ASSERT_TRUE(trie.insert(std::string(1, char(i)), i));
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(trie.value(trie.child(ByteTrie::kRoot, static_cast<unsigned char>(i))), i);
}

TEST(Vocabulary, RefusesDuplicatesAndForgetsNothing) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.add("one", 1), Vocabulary::Added::yes);
  EXPECT_EQ(vocabulary.add("seven", 7), Vocabulary::Added::yes);
  EXPECT_EQ(vocabulary.add("one", 2), Vocabulary::Added::duplicate_token);
  EXPECT_EQ(vocabulary.add("two", 7), Vocabulary::Added::duplicate_id);
  EXPECT_EQ(vocabulary.size(), 2u);
  EXPECT_EQ(vocabulary.end_id(), 8);
  EXPECT_EQ(vocabulary.find("one"), 1);
  EXPECT_EQ(vocabulary.find("on"), std::nullopt);
  EXPECT_EQ(vocabulary.find("two"), std::nullopt);
  EXPECT_EQ(vocabulary.token(7), "seven");
  EXPECT_EQ(vocabulary.token(2), std::nullopt);
  EXPECT_EQ(vocabulary.token(8), std::nullopt);
  EXPECT_EQ(vocabulary.token(-1), std::nullopt);
}

}  // namespace
}  // namespace headway
