// What a sentence-transformers directory puts on top of the transformer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "headway/layers.hpp"

namespace headway {

struct Pipeline {
  std::filesystem::path transformer;             // directory of the transformer's files
  std::optional<std::filesystem::path> pooling;  // the pooling module's config.json
  bool normalize = false;
};

// Reads modules.json: Transformer, Pooling and perhaps Normalize, told by the last part of the type
// name, because the modules before it change between versions of sentence-transformers. Without
// modules.json the directory is a plain transformers model, which sentence-transformers pools by
// the mean. Error(unsupported) naming any other module, and for a default prompt, which would have
// to be put before every text.
Pipeline read_pipeline(const std::filesystem::path& directory);

// Reads the pooling module's config.json, in the form with a flag for each mode or that with one
// `pooling_mode`. `dim` is the width of the transformer. Error(unsupported) naming modes other than
// mean and cls, Error(format) when not exactly one is chosen or the width differs.
Pooling read_pooling(const std::filesystem::path& config, int64_t dim);

}  // namespace headway
