// One pass over JSON text before the parser sees it, for what the parser does not do our way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway {

// Appends to `out` the JSON `text` with `.0` behind every integer literal outside int64: the
// parser fails on those, and hub files contain them; as a double each is read, correctly rounded,
// and stays outside int64. A UTF-8 byte order mark is dropped. Strings are left as they are, and
// text that is not JSON does not become JSON. Throws Error(format) with `name` and the line for
// NaN and Infinity and for more than `max_depth` levels.
void scan_json(std::string_view text, const std::string& name, size_t max_depth, std::string& out);

}  // namespace headway
