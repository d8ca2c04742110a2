// Looking runs of characters up.
#include "engine/text/script.hpp"

#include <algorithm>
#include <iterator>

namespace headway {
namespace {

struct ScriptRun {
  char32_t first;
  uint8_t script;
};
#include "engine/text/script_table.inc"

}  // namespace

uint8_t script_of(char32_t c) {
  const auto* next =
      std::upper_bound(std::begin(kScriptRuns), std::end(kScriptRuns), c,
                       [](char32_t at, const ScriptRun& run) { return at < run.first; });
  return std::prev(next)->script;
}

}  // namespace headway
