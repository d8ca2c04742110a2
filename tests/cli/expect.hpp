// What every command is held to: refusals with a message, and no file left behind.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {

inline void expect_refusal(int code, const std::string& message,
                           const std::vector<std::string>& args,
                           const ProcessOptions& options = {}) {
  const ProcessResult result = run_headway(args, options);
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_THAT(result.err, testing::StartsWith("headway: error: "));
  EXPECT_THAT(result.err, testing::HasSubstr(message));
  EXPECT_EQ(result.out, "");
}

// Interrupts a command, whose `files` files go to the empty folder `dir`, while it waits for its
// input after a first `text`.
inline void expect_interrupted(int signal, const std::vector<std::string>& args, const TempDir& dir,
                               size_t files, const std::string& text) {
  RunningProcess process(args);
  process.type(text);
  // Its files exist beside the place where they shall appear.
  for (int i = 0; i < 1000 && dir.names().size() < files; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(dir.names().size(), files);
  process.send(signal);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.code, 128 + signal);
  EXPECT_THAT(result.err, testing::HasSubstr("; no file was written\n"));
  EXPECT_TRUE(dir.names().empty());
}

}  // namespace headway::cli
