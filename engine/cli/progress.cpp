// Numbers for people and programs.
#include "engine/cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "engine/base/message.hpp"
#include "engine/formats/json_writer.hpp"

namespace headway::cli {
namespace {

constexpr double kUpdateSeconds = 0.2;

double rate(int64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::string rate_text(int64_t count, double seconds) {
  const double value = rate(count, seconds);
  return value < 100 ? fixed(value, 1) : grouped(static_cast<int64_t>(value));
}

}  // namespace

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const int64_t first = number < 0 ? 1 : 0;
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > first; i -= 3)
    digits.insert(static_cast<size_t>(i), 1, ',');
  return digits;
}

std::string fixed(double number, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, number);
  return buffer;
}

ProgressLine::ProgressLine(std::optional<uint64_t> total)
    : total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::update(const EmbedStats& stats, uint64_t bytes_done, double seconds) {
  if (!terminal_ || (last_ && last_->seconds() < kUpdateSeconds)) return;
  last_.emplace();
  std::string line =
      cat(grouped(stats.texts), " texts, ", rate_text(stats.texts, seconds), " texts/s");
  if (total_ && *total_ > 0)
    line += cat(", ", std::min<uint64_t>(100, bytes_done * 100 / *total_), " %");
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());  // the code clears what an older line left
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::string cut_note(const EmbedStats& stats) {
  return stats.truncated > 0 ? cat("; ", stats.truncated, " longer than the limit and cut") : "";
}

std::string EmbedSummary::sentence() const {
  std::string text =
      cat(grouped(stats.texts), stats.texts == 1 ? " text (" : " texts (", grouped(stats.tokens),
          " tokens) in ", fixed(seconds, 2), " s: ", rate_text(stats.texts, seconds), " texts/s");
  if (stats.truncated > 0)
    text += cat("; ", grouped(stats.truncated), stats.truncated == 1 ? " text was" : " texts were",
                " longer than the limit and cut");
  return text;
}

std::string EmbedSummary::json() const {
  return JsonObjectWriter()
             .add("texts", stats.texts)
             .add("tokens", stats.tokens)
             .add("truncated", stats.truncated)
             .add("seconds", seconds)
             .add("texts_per_s", rate(stats.texts, seconds))
             .add("tokens_per_s", rate(stats.tokens, seconds))
             .add("threads", threads)
             .add("isa", isa)
             .add("precision", to_string(precision))
             .str() +
         "\n";
}

}  // namespace headway::cli
