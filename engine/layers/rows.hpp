// Shares the rows of a layer that works row by row among a team.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/runtime/team.hpp"

namespace headway {

// body(begin, count) for blocks of rows. 32 rows of some hundred floats take microseconds, much
// more than handing out a block.
template <typename Body>
void for_row_blocks(Team& team, int64_t rows, const Body& body) {
  constexpr int64_t kBlock = 32;
  team.for_each((rows + kBlock - 1) / kBlock, [&](int64_t block) {
    const int64_t begin = block * kBlock;
    body(begin, std::min(kBlock, rows - begin));
  });
}

}  // namespace headway
