// Puts the modules of a sentence-transformers pipeline on top of a transformer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/embed/pipeline.hpp"
#include "engine/models/tensors.hpp"
#include "headway/graph.hpp"

namespace headway {

// The two values that modules read and write.
struct Features {
  Value tokens;                        // "token_embeddings"
  std::optional<Value> sentence = {};  // "sentence_embedding", once there is a Pooling
  std::string_view dense_input = "sentence_embedding";  // of a Dense that names none
  // Whether the rows have length 1: the last module that changed them was Normalize.
  bool tokens_normalized = false, sentence_normalized = false;

  std::string pooling = {};                                // "mean", "cls + max", ...
  std::string pooling_source = {}, normalize_source = {};  // as ModelInfo::sources
  std::optional<Value> skip = {};  // input "skip", where pooling leaves a prompt out
  Taken taken = {};                // of the modules' files
};

// Adds one module: Pooling (all modes, also several at once), Dense, LayerNorm, Normalize or
// Dropout, with what its config.json and model.safetensors say. Error naming file and field for
// what is missing, damaged, not supported or does not fit.
void add_module(Graph& graph, const Module& module, Features& features);

// The names that add_module knows.
extern const char* const kModuleNames;

}  // namespace headway
