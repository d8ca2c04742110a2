// From texts, one a line, to a JSON object for each: what commands that do so have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/function_ref.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/line_reader.hpp"
#include "headway/embedder.hpp"

namespace headway::cli {

// What a model makes of a window of texts, appended to `lines`; errors name texts by their place in
// the window.
using MakeLines = FunctionRef<EmbedStats(std::span<const std::string_view> texts,
                                         const RunOptions& options, std::string& lines)>;

// Takes all that `reader` has to `sink`, window by window, with progress and a summary on standard
// error. Ends with Error(cancelled), and without an output, when interrupted.
void write_json_lines(LineReader& reader, ByteSink& sink, MakeLines make);

// "[...]" of what is JSON already.
std::string json_array(std::span<const std::string> items);

}  // namespace headway::cli
