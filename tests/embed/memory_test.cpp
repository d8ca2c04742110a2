// The formula of README.md for memory, against what a process with the real model takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "headway/embedder.hpp"

namespace headway {
namespace {

// Bytes of this process's own memory, or of the files it has mapped: "RssAnon", "RssFile".
size_t resident(const std::string& kind) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kind + ":"))
      return std::strtoull(line.c_str() + kind.size() + 1, nullptr, 10) << 10;
  ADD_FAILURE() << "no " << kind;
  return 0;
}

double megabytes(size_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

TEST(Memory, IsWhatTheFormulaSays) {
  constexpr int kThreads = 2, kCallers = 8;
  const size_t before = resident("RssAnon");
  const auto embedder =
      Embedder::open(HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2", {.threads = kThreads});
  const Engine& engine = embedder.engine();
  // A slab is for a group: texts of 512 tokens a thread together, or one longer text.
  size_t slab = engine.planned_memory(Batch::dense(1, embedder.info().max_length));
  for (const int64_t length : {1, 16, 64, 256})
    slab = std::max(slab, engine.planned_memory(Batch::dense(512 * kThreads / length, length)));

  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    texts.emplace_back();
    for (int word = 0; word < 1 + i * 37 % 300; ++word) texts.back() += "word ";
  }
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i)
    callers.emplace_back([&, i] { embedder.embed(std::span(texts).subspan(20 * i, 20)); });
  for (std::thread& caller : callers) caller.join();

  const EngineInfo info = engine.info();
  EXPECT_GT(info.peak_memory, slab / 4);
  EXPECT_LE(info.peak_memory, kThreads * (slab + 4096));  // whole pages
  EXPECT_LE(info.memory_in_use, info.peak_memory);
  const size_t formula = info.packed_weights + kThreads * slab;
  const size_t measured = resident("RssAnon") - before;
  std::cout << "formula: " << megabytes(info.packed_weights) << " MB packed + " << kThreads << " x "
            << megabytes(slab) << " MB slabs = " << megabytes(formula)
            << " MB; measured: " << megabytes(measured) << " MB, of which slabs at their peak "
            << megabytes(info.peak_memory)
            << " MB; files mapped: " << megabytes(resident("RssFile")) << " MB\n";
#ifndef __SANITIZE_ADDRESS__
  // Beside the formula: the tokenizer, oneDNN's kernels, the threads, and what callers hold.
  EXPECT_LE(measured, formula + (size_t{32} << 20));
#endif
  engine.trim();
  EXPECT_EQ(engine.info().memory_in_use, 0u);
}

}  // namespace
}  // namespace headway
