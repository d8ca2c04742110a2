// Texts to vectors: a sentence-transformers model directory, opened and run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headway/engine.hpp"
#include "headway/export.h"
#include "headway/tokenizer.hpp"

namespace headway {

struct EmbedderOptions {
  int threads = 0;         // as Limits::threads
  int64_t max_length = 0;  // tokens of one text, special ones included; 0: the model's own limit,
                           // which it may not exceed
  Precision precision = Precision::f32;  // as CompileOptions::precision
  size_t memory = 0;                     // as Limits::memory
};

// What a call is to make of its texts.
struct EmbedOptions {
  std::optional<std::string_view> prompt = {};  // put before every text, as it is
  // One of ModelInfo::prompts in place of its text. Without either the default prompt, if the model
  // has one.
  std::optional<std::string_view> prompt_name = {};
  // Only so many numbers of each vector, for models trained as Matryoshka (Kusupati et al., 2022):
  // made length 1 again if the model's vectors are (as the reference does with truncate_dim and
  // normalize_embeddings). 0: `truncate_dim` of the model's files, else all.
  int64_t dimensions = 0;
};

// What a call did.
struct HEADWAY_API EmbedStats {
  int64_t texts = 0;
  int64_t tokens = 0;     // special tokens included, after truncation
  int64_t truncated = 0;  // texts that were longer than the limit

  EmbedStats& operator+=(const EmbedStats& other);
};

// Vectors, row-major float32 [texts, dim].
struct Embeddings {
  std::vector<float> values;
  int64_t texts = 0;
  int64_t dim = 0;
  EmbedStats stats;

  std::span<const float> row(int64_t text) const {
    return std::span(values).subspan(text * dim, dim);
  }
};

// What was decided when a model was opened, and from which file.
struct ModelInfo {
  std::string architecture;  // "bert"
  int64_t parameters = 0;    // elements of all weights used
  std::string weights;       // their types in the files, "f32", "f16 + bf16"
  int64_t layers = 0, heads = 0, vocabulary = 0;
  int64_t hidden_size = 0;  // numbers of a token between layers
  int64_t dim = 0;          // numbers of one vector
  std::string tokenizer;    // its model: "WordPiece", "BPE", "Unigram"
  int64_t max_length = 0;   // the limit in force
  // Of late interaction, where max_length is that of documents: tokens of a query at most, and how
  // many it is filled up to with mask tokens, or 0.
  int64_t query_length = 0, query_expansion = 0;
  std::string pooling;     // "mean", "cls + max"
  bool normalize = false;  // whether vectors are normalized to length 1
  // What EmbedOptions::prompt_name may name. "query" and "document" are always there, perhaps
  // empty, as in sentence-transformers.
  std::map<std::string, std::string> prompts;
  std::string default_prompt_name;  // or empty
  // Of classifiers and rerankers; their pooling is empty.
  std::vector<std::string> labels;
  std::string activation;  // "sigmoid", "softmax" or "identity": what makes scores of logits
  // File and field that each of these comes from, by the name that it has here: for "max_length"
  // "sentence_bert_config.json: max_seq_length", or "options" for what the caller asked for.
  std::map<std::string, std::string> sources;
};

// Opens directories as sentence-transformers writes and the hub holds them: config.json,
// model.safetensors, tokenizer.json or vocab.txt, tokenizer_config.json, modules.json and the files
// of its modules, sentence_bert_config.json, config_sentence_transformers.json. The vector of a
// text never depends on the other texts, their order or the threads. For threads, memory, stopping
// and closing see Engine.
class HEADWAY_API Embedder {
 public:
  // Error naming the file and the field for everything that is missing, damaged or not supported.
  static Embedder open(const std::filesystem::path& directory, const EmbedderOptions& options = {});

  Embeddings embed(std::span<const std::string_view> texts, const RunOptions& options = {},
                   const EmbedOptions& chosen = {}) const;
  Embeddings embed(std::span<const std::string> texts, const RunOptions& options = {},
                   const EmbedOptions& chosen = {}) const;
  // The same into `out`, float32 [texts.size(), dim_of(chosen)]: allocates nothing for the result
  // where no vector is shortened.
  EmbedStats embed(std::span<const std::string_view> texts, float* out,
                   const RunOptions& options = {}, const EmbedOptions& chosen = {}) const;

  int64_t dim() const;
  // Error(invalid_argument) for dimensions that the model does not have.
  int64_t dim_of(const EmbedOptions& options) const;
  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;
  // The engine underneath, for its memory and limits.
  const Engine& engine() const;

 private:
  struct State;
  explicit Embedder(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace headway
