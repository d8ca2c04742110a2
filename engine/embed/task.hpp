// What a model directory is for, as far as its files tell.
#pragma once

#include <cstdint>
#include <filesystem>

namespace headway {

enum class Task : uint8_t {
  embedding,
  sparse_embedding,
  late_interaction,
  classification,
  reranking,
  token_classification,
  mask_filling,
};

// By `model_type` of config_sentence_transformers.json, by the modules of modules.json or, without
// modules after the transformer, by the class that `architectures` of config.json names:
// classifiers of one label are rerankers. Errors of reading these files.
Task find_task(const std::filesystem::path& directory);

}  // namespace headway
