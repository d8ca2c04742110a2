// What `headway embed` tells people and programs about its work: a line while it runs, a summary.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "headway/embedder.hpp"

namespace headway::cli {

// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// "1,234,567"
std::string grouped(int64_t number);
// `number` with so many digits after the point.
std::string fixed(double number, int digits);

// One line on standard error, rewritten at most 5 times a second; nothing unless that is a
// terminal. The line goes when the object does.
class ProgressLine {
 public:
  // `total`: bytes of the input, where known.
  explicit ProgressLine(std::optional<uint64_t> total);
  ~ProgressLine() { clear(); }

  void update(const EmbedStats& stats, uint64_t bytes_done, double seconds);
  void clear();

 private:
  std::optional<uint64_t> total_;
  bool terminal_;
  bool shown_ = false;
  std::optional<Stopwatch> last_;
};

// "; 12 longer than the limit and cut", or nothing where none was.
std::string cut_note(const EmbedStats& stats);

// What a whole `headway embed` did.
struct EmbedSummary {
  EmbedStats stats;
  double seconds = 0;  // reading, embedding and writing; opening the model not included
  int threads = 0;
  std::string isa;
  Precision precision = Precision::f32;

  // 1,999 texts (84,062 tokens) in 4.1 s: 488 texts/s; 12 texts were truncated
  std::string sentence() const;
  // The same as one JSON object with a newline.
  std::string json() const;
};

}  // namespace headway::cli
