// The shapes that layers are measured at: bench/shapes/*.txt, named after where they come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headway {

struct BenchShape {
  std::string source;  // "minilm": the file's name
  int64_t batch = 0, tokens = 0, dim = 0, heads = 0;

  // "minilm/8x128x384_h12"
  std::string name() const;
};

// The shapes of all files, by file name and then as they stand there: "batch tokens dim heads" a
// line, # begins a comment. std::runtime_error naming file and line when a line is not that.
std::vector<BenchShape> bench_shapes();

}  // namespace headway
