// The version macros agree with each other and with the library.
#include "headway/version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "engine/base/message.hpp"

namespace headway {
namespace {

TEST(Version, IsOneInEveryForm) {
  EXPECT_EQ(cat(HEADWAY_VERSION_MAJOR, '.', HEADWAY_VERSION_MINOR, '.', HEADWAY_VERSION_PATCH),
            HEADWAY_VERSION);
  EXPECT_STREQ(version(), HEADWAY_VERSION);
}

// The first version that the changelog names.
TEST(Version, IsThatOfTheChangelog) {
  std::ifstream changelog(HEADWAY_SOURCE_DIR "/CHANGELOG.md");
  std::string line;
  while (std::getline(changelog, line) && !line.starts_with("## ")) continue;
  EXPECT_NE(line.find(HEADWAY_VERSION), std::string::npos) << line;
}

TEST(Version, NumberComparesAsVersionsDo) {
  static_assert(HEADWAY_MAKE_VERSION(0, 1, 0) < HEADWAY_MAKE_VERSION(0, 1, 999));
  static_assert(HEADWAY_MAKE_VERSION(0, 1, 999) < HEADWAY_MAKE_VERSION(0, 2, 0));
  static_assert(HEADWAY_MAKE_VERSION(0, 999, 0) < HEADWAY_MAKE_VERSION(1, 0, 0));
  EXPECT_GE(HEADWAY_VERSION_NUMBER, HEADWAY_MAKE_VERSION(0, 1, 0));
}

}  // namespace
}  // namespace headway
