// A model directory becomes a graph. One architecture a file; registry.cpp lists them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/formats/json.hpp"
#include "engine/models/tensors.hpp"
#include "headway/graph.hpp"
#include "headway/weights.hpp"

namespace headway {

// A token encoder, ready for whatever is put on top of it (pooling, a head).
struct LoadedModel {
  // Inputs "ids" and "type_ids", i32 of width 1 over the same tokens; output "hidden".
  Graph graph;
  Value hidden;  // last hidden state, f32 [tokens, dim]
  // Attention weights of each layer, [heads, T, T] a sequence. They cost nothing until they are
  // made outputs and a run binds these.
  std::vector<Value> attention;
  Weight words;  // [vocabulary, any], the table of the tokens: some heads use it once more

  std::string architecture;  // model_type of config.json
  int64_t layers = 0, dim = 0, heads = 0;
  int64_t vocabulary = 0;  // ids are below it
  int64_t positions = 0;   // longest sequence
};

// What a model is read from. Once it is loaded, `tensors` have the prefix of its names; a head that
// goes on top takes its weights from here too.
struct ModelFiles {
  Json config;  // config.json
  Tensors tensors;
};

// Opens config.json and model.safetensors of `directory`, and makes a graph of them. Error naming
// the file and the field or tensor for everything that is missing, damaged or not supported.
ModelFiles open_model_files(const std::filesystem::path& directory);
LoadedModel load_model(ModelFiles& files);
LoadedModel load_model(const std::filesystem::path& directory);

// The values of model_type that load_model knows.
std::vector<std::string> known_model_types();

}  // namespace headway
