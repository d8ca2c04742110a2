// What every use of a model directory on texts starts with: the transformer and its tokenizer.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/embed/length_limit.hpp"
#include "engine/embed/pipeline.hpp"
#include "engine/models/model.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

struct TextModel {
  Pipeline pipeline;
  LoadedModel model;
  Tokenizer tokenizer;
  LengthLimit limit;
};

// Opens the directory's transformer; what pooling says is left to the caller. `max_length` as
// EmbedderOptions has it. Error naming the file and the field for everything that is missing,
// damaged, not supported, or does not fit the rest.
TextModel open_text_model(const std::filesystem::path& directory, int64_t max_length);

}  // namespace headway
