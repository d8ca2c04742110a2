// Where tokens come from, against hashes of what the reference says (scripts/make_golden_offsets.py
// has the other half).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/text/golden_kinds.hpp"

namespace headway {
namespace {

std::map<std::string, std::vector<uint64_t>> read_hashes() {
  std::map<std::string, std::vector<uint64_t>> hashes;
  std::ifstream file(golden_directory() / "tokenizer/offsets.txt");
  uint64_t hash;
  std::string name;
  while (file >> std::hex >> hash && std::getline(file >> std::ws, name))
    hashes[name].push_back(hash);
  return hashes;
}

class GoldenOffsets : public testing::TestWithParam<std::string> {};

TEST_P(GoldenOffsets, PlacesEqualTheReferenceAndIdsThoseWithoutPlaces) {
  const Tokenizer tokenizer = open_changed(GetParam());
  const std::vector<uint64_t> hashes = read_hashes().at(GetParam());
  ASSERT_EQ(hashes.size(), 4u);
  Draw draw(0x9E3779B97F4A7C15);
  EncodeOptions options{.add_special_tokens = false};
  for (size_t block = 0; block < hashes.size(); ++block) {
    GoldenHash hash;
    for (int i = 0; i < 100; ++i) {
      const std::string text = random_text(draw);
      options.offsets = false;
      const std::vector<int32_t> ids = tokenizer.encode(text, options).ids;
      options.offsets = true;
      const Encoding encoding = tokenizer.encode(text, options);
      ASSERT_EQ(encoding.ids, ids) << text;
      ASSERT_EQ(encoding.offsets.size(), ids.size());
      std::vector<int32_t> places;
      for (size_t token = 0; token < ids.size(); ++token) {
        const TokenOffsets& place = encoding.offsets[token];
        ASSERT_EQ(place.text, 0);
        places.insert(places.end(), {ids[token], static_cast<int32_t>(place.begin),
                                     static_cast<int32_t>(place.end)});
      }
      hash.add_text(places);
    }
    EXPECT_EQ(hash.value, hashes[block]) << "random strings " << block;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, GoldenOffsets, testing::ValuesIn(names_of(read_hashes())),
                         test_name);

}  // namespace
}  // namespace headway
