// The page that shows what heads look at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "headway/heads.hpp"

namespace headway::cli {

// A weight takes about 3 bytes of the page: 20 MB at most.
constexpr int64_t kMostPageWeights = 6'000'000;

// One HTML page that needs no other file and no network (heads.html): the map of each head, its
// entropy, and its strongest links. `text` is what the maps are of; whatever stands in it and in
// the tokens is shown, never run. Error(limit) for more than kMostPageWeights weights.
std::string heads_page(const AttentionMaps& maps, std::string_view text);

}  // namespace headway::cli
