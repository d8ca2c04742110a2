// Checks that something throws headway::Error with a code and a text in its message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "headway/error.hpp"

namespace headway {

// Runs `action`; a test failure unless it throws Error(code) with a message that contains `text`.
template <typename Action>
void expect_error(ErrorCode code, const std::string& text, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << to_string(error.code()) << ", expected " << to_string(code)
                                  << ": " << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
    return;
  }
  ADD_FAILURE() << "nothing was thrown, expected Error(" << to_string(code) << "): " << text;
}

}  // namespace headway
