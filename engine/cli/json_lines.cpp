// Windows of texts.
#include "engine/cli/json_lines.hpp"

#include <cstdio>

#include "engine/base/message.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/progress.hpp"

namespace headway::cli {

void write_json_lines(LineReader& reader, ByteSink& sink, MakeLines make) {
  constexpr size_t kWindow = 1024;
  reader.invite("text");
  const Stopwatch watch;
  ProgressLine progress(reader.size());
  RunOptions options;
  options.stop = interrupt_token();
  EmbedStats stats;
  while (true) {
    const auto texts = reader.next(kWindow);
    if (texts.empty()) break;
    check_interrupt();
    std::string lines;
    try {
      stats += make(texts, options, lines);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      fail(error.code(), reader.name(), ", from line ", stats.texts + 1, " on: ", error.what());
    }
    sink.write(lines);
    progress.update(stats, reader.position(), watch.seconds());
  }
  progress.clear();
  sink.commit();
  std::fprintf(stderr, "headway: %s texts%s\n", grouped(stats.texts).c_str(),
               cut_note(stats).c_str());
}

std::string json_array(std::span<const std::string> items) {
  std::string array = "[";
  for (const std::string& item : items) {
    if (array.size() > 1) array += ", ";
    array += item;
  }
  return array + "]";
}

}  // namespace headway::cli
