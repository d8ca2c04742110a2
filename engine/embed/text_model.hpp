// What every use of a model directory on texts starts with: the transformer and its tokenizer.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/embed/pipeline.hpp"
#include "engine/embed/transformer_config.hpp"
#include "engine/models/model.hpp"
#include "headway/embedder.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

struct OpenedModel {
  Pipeline pipeline;
  ModelFiles files;
  LoadedModel model;
  TransformerConfig config;
  Tokenizer tokenizer;
  LengthLimit limit;
};

// Opens the directory's transformer; the modules after it are left to the caller. Of the options
// the longest text counts. Error naming the file and the field for everything that is missing,
// damaged, not supported, or does not fit the rest.
OpenedModel open_text_model(const std::filesystem::path& directory, const EmbedderOptions& options,
                            TransformerTask task = TransformerTask::hidden_states);

// The same for tasks whose head stands in the model's own files: Error(unsupported) for modules
// after the transformer.
OpenedModel open_headed_model(const std::filesystem::path& directory,
                              const EmbedderOptions& options, TransformerTask task);

// Compiles its graph, whose outputs the caller has added.
Engine compile(const OpenedModel& opened, const EmbedderOptions& options);

}  // namespace headway
