// The weights of a model directory, in one file or in several.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "headway/weights.hpp"

namespace headway {

// model.safetensors, or else the files that model.safetensors.index.json lists, as transformers
// writes models that are too large for one. Any thread may read.
class Shards {
 public:
  // Error(not_found) when there is neither file; Error naming the index and its field when a file
  // it lists is missing or not inside the directory (path_inside), when a tensor is not in the file
  // that is said to have it, or is in another one too.
  static Shards open(const std::filesystem::path& directory);

  bool contains(const std::string& name) const;
  // Errors of WeightFile::at; Error(not_found) names the index where there is one.
  Weight at(const std::string& name) const;
  // The file, or the index: where a missing tensor was looked for.
  const std::string& path() const { return path_; }

 private:
  static Shards open_index(const std::filesystem::path& directory,
                           const std::filesystem::path& index);

  std::string path_;
  std::vector<WeightFile> files_;
  std::map<std::string, size_t> file_of_;  // by tensor; empty for a single file
};

}  // namespace headway
