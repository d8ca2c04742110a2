// What a pooling module's config.json says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "headway/layers.hpp"

namespace headway {

struct PoolingConfig {
  std::vector<Pooling> kinds;
  std::string names;           // as the file has them, "cls + max"
  bool include_prompt = true;  // else the tokens of a prompt are left out
};

// Reads the form with a flag for each mode or that with `pooling_mode`, one or a list. `dim` is the
// width of what is pooled. Error(format) when the width differs, Error(unsupported) naming an
// unknown mode.
PoolingConfig read_pooling(const std::filesystem::path& config, int64_t dim);

}  // namespace headway
