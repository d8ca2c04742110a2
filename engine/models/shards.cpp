// Opens one file of weights, or those of an index.
#include "engine/models/shards.hpp"

#include "engine/base/message.hpp"
#include "engine/formats/inside.hpp"
#include "engine/formats/json.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::status(path, ignored).type() != fs::file_type::not_found;
}

}  // namespace

Shards Shards::open(const fs::path& directory) {
  const fs::path single = directory / "model.safetensors";
  const fs::path index = directory / "model.safetensors.index.json";
  if (is_there(single)) {
    Shards shards;
    shards.path_ = single.string();
    shards.files_.push_back(WeightFile::open(single));
    return shards;
  }
  if (is_there(index)) return open_index(directory, index);
  fail(ErrorCode::not_found, directory.string(),
       ": no model.safetensors in it, nor model.safetensors.index.json (weights in other formats "
       "must be converted)");
}

Shards Shards::open_index(const fs::path& directory, const fs::path& index) {
  Shards shards;
  shards.path_ = index.string();
  const Json json = Json::read_file(index.string());
  std::map<std::string, size_t, std::less<>> opened;
  for (const JsonNode tensor : json.root().at("weight_map").members()) {
    const std::string_view file = tensor.as_string();
    auto known = opened.find(file);
    if (known == opened.end()) {
      const fs::path path = path_inside(directory, tensor);
      if (!is_there(path)) tensor.refuse(cat("the file ", path.string(), " is missing"));
      known = opened.emplace(file, shards.files_.size()).first;
      shards.files_.push_back(WeightFile::open(path));
    }
    if (!shards.files_[known->second].contains(std::string(tensor.key())))
      tensor.refuse(cat("the tensor is not in ", file));
    shards.file_of_[std::string(tensor.key())] = known->second;
  }
  for (size_t file = 0; file < shards.files_.size(); ++file) {
    for (const std::string& name : shards.files_[file].names()) {
      const auto listed = shards.file_of_.find(name);
      if (listed != shards.file_of_.end() && listed->second != file)
        json.root()
            .at("weight_map")
            .at(name)
            .refuse(cat("the tensor is also in ", shards.files_[file].path().string()));
    }
  }
  return shards;
}

bool Shards::contains(const std::string& name) const {
  return file_of_.empty() ? files_.size() == 1 && files_[0].contains(name)
                          : file_of_.contains(name);
}

Weight Shards::at(const std::string& name) const {
  if (file_of_.empty() && files_.size() == 1) return files_[0].at(name);
  const auto found = file_of_.find(name);
  if (found == file_of_.end())
    fail(ErrorCode::not_found, path_, ": tensor \"", name, "\" is missing");
  return files_[found->second].at(name);
}

}  // namespace headway
