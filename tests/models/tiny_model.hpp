// A BERT of a few numbers, written as a model directory, for tests to run and to damage.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/base/message.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {

struct TinyTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

// Change the maps, then write(). The vocabulary is [PAD] [UNK] [CLS] [SEP] [MASK] and the letters a
// to y, so that a text is a few letters with spaces between them.
struct TinyModel {
  static constexpr int64_t kDim = 8, kHeads = 2, kInner = 16, kVocabulary = 30, kPositions = 32;
  static constexpr int64_t kTypes = 2;

  std::map<std::string, std::string> config;  // fields of config.json, values in JSON
  std::map<std::string, TinyTensor> tensors;  // of model.safetensors, float32
  std::map<std::string, std::string> files;   // every other file, by its path

  explicit TinyModel(int64_t layers = 1) {
    config = {{"model_type", "\"bert\""},
              {"hidden_size", std::to_string(kDim)},
              {"num_attention_heads", std::to_string(kHeads)},
              {"num_hidden_layers", std::to_string(layers)},
              {"intermediate_size", std::to_string(kInner)},
              {"vocab_size", std::to_string(kVocabulary)},
              {"max_position_embeddings", std::to_string(kPositions)},
              {"type_vocab_size", std::to_string(kTypes)}};
    add("embeddings.word_embeddings.weight", {kVocabulary, kDim});
    add("embeddings.token_type_embeddings.weight", {kTypes, kDim});
    add("embeddings.position_embeddings.weight", {kPositions, kDim});
    add_norm("embeddings.LayerNorm");
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string at = cat("encoder.layer.", layer, ".");
      for (const char* part : {"query", "key", "value"})
        add_linear(at + "attention.self." + part, kDim, kDim);
      add_linear(at + "attention.output.dense", kDim, kDim);
      add_norm(at + "attention.output.LayerNorm");
      add_linear(at + "intermediate.dense", kInner, kDim);
      add_linear(at + "output.dense", kDim, kInner);
      add_norm(at + "output.LayerNorm");
    }

    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'y'; ++letter) vocabulary += {letter, '\n'};
    files["vocab.txt"] = vocabulary;
    files["tokenizer_config.json"] =
        R"({"tokenizer_class": "BertTokenizer", "do_lower_case": true, "model_max_length": 20})";
    files["modules.json"] = modules({"Transformer", "Pooling", "Normalize"});
    files["1_Pooling/config.json"] = R"({"word_embedding_dimension": 8,
      "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true})";
    files["sentence_bert_config.json"] = R"({"max_seq_length": 16, "do_lower_case": false})";
  }

  // modules.json with these kinds, in directories as sentence-transformers names them.
  static std::string modules(const std::vector<std::string>& kinds) {
    std::string json;
    for (size_t i = 0; i < kinds.size(); ++i)
      json += cat(i == 0 ? "" : ", ", R"({"idx": )", i, R"(, "path": ")",
                  i == 0 ? "" : cat(i, "_", kinds[i]),
                  R"(", "type": "sentence_transformers.models.)", kinds[i], "\"}");
    return cat("[", json, "]");
  }

  // Renames every tensor whose name contains `from`.
  void rename_tensors(const std::string& from, const std::string& to) {
    std::map<std::string, TinyTensor> renamed;
    for (const auto& [name, tensor] : tensors) {
      std::string changed = name;
      if (const size_t at = name.find(from); at != std::string::npos)
        changed.replace(at, from.size(), to);
      renamed[changed] = tensor;
    }
    tensors = std::move(renamed);
  }

  void write(const TempDir& dir) const {
    std::string json;
    for (const auto& [field, value] : config)
      json += cat(json.empty() ? "{\"" : ", \"", field, "\": ", value);
    dir.write("config.json", json + "}");
    dir.write("model.safetensors", safetensors());
    for (const auto& [path, content] : files) dir.write(path, content);
  }

  // https://huggingface.co/docs/safetensors: the header's length, the header, the data.
  std::string safetensors() const {
    std::string header, data;
    for (const auto& [name, tensor] : tensors) {
      std::string shape;
      for (const int64_t extent : tensor.shape) shape += cat(shape.empty() ? "" : ",", extent);
      const size_t begin = data.size();
      data.append(reinterpret_cast<const char*>(tensor.values.data()),
                  tensor.values.size() * sizeof(float));
      header += cat(header.empty() ? "{\"" : ",\"", name, R"(":{"dtype":"F32","shape":[)", shape,
                    R"(],"data_offsets":[)", begin, ",", data.size(), "]}");
    }
    header += "}";
    std::string length(8, '\0');
    for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i));
    return length + header + data;
  }

 private:
  void add(const std::string& name, std::vector<int64_t> shape, float center = 0) {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    std::vector<float> values(count);
    for (float& value : values)
      value = center + static_cast<float>(random_() >> 8) / (1 << 24) - 0.5f;
    tensors[name] = {std::move(shape), std::move(values)};
  }
  void add_linear(const std::string& name, int64_t out, int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }
  void add_norm(const std::string& name) {
    add(name + ".weight", {kDim}, 1);
    add(name + ".bias", {kDim});
  }

  std::mt19937 random_{1};  // the same numbers on every machine
};

}  // namespace headway
