// The version macros agree with each other and with the library.
#include "headway/version.h"

#include <gtest/gtest.h>

#include "engine/base/message.hpp"

namespace headway {
namespace {

TEST(Version, IsOneInEveryForm) {
  EXPECT_EQ(cat(HEADWAY_VERSION_MAJOR, '.', HEADWAY_VERSION_MINOR, '.', HEADWAY_VERSION_PATCH),
            HEADWAY_VERSION);
  EXPECT_STREQ(version(), HEADWAY_VERSION);
}

TEST(Version, NumberComparesAsVersionsDo) {
  static_assert(HEADWAY_MAKE_VERSION(0, 1, 0) < HEADWAY_MAKE_VERSION(0, 1, 999));
  static_assert(HEADWAY_MAKE_VERSION(0, 1, 999) < HEADWAY_MAKE_VERSION(0, 2, 0));
  static_assert(HEADWAY_MAKE_VERSION(0, 999, 0) < HEADWAY_MAKE_VERSION(1, 0, 0));
  EXPECT_GE(HEADWAY_VERSION_NUMBER, HEADWAY_MAKE_VERSION(0, 1, 0));
}

}  // namespace
}  // namespace headway
