// The list of architectures, and the choice by config.json's model_type.
#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"
#include "engine/models/albert.hpp"
#include "engine/models/bert.hpp"
#include "engine/models/distilbert.hpp"
#include "engine/models/electra.hpp"
#include "engine/models/model.hpp"
#include "engine/models/modernbert.hpp"
#include "engine/models/mpnet.hpp"
#include "engine/models/nomic_bert.hpp"
#include "engine/models/roberta.hpp"
#include "engine/models/tensors.hpp"

namespace headway {
namespace {

struct Architecture {
  const char* model_type;
  LoadedModel (*load)(JsonNode config, Tensors& tensors);
};

constexpr Architecture kArchitectures[] = {
    {"albert", load_albert},     {"bert", load_bert},
    {"camembert", load_roberta}, {"distilbert", load_distilbert},
    {"electra", load_electra},   {"modernbert", load_modernbert},
    {"mpnet", load_mpnet},       {"nomic_bert", load_nomic_bert},
    {"roberta", load_roberta},   {"xlm-roberta", load_roberta},
};

std::string known_names() {
  std::string names;
  for (const std::string& type : known_model_types()) names += (names.empty() ? "" : ", ") + type;
  return names;
}

// Says what is missing where the system would only say that a file is.
void check_directory(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found)
    fail(ErrorCode::not_found, directory.string(), ": no such model directory");
  if (status.type() == fs::file_type::none)
    fail(ErrorCode::io, directory.string(), ": ", error.message());
  if (status.type() != fs::file_type::directory)
    fail(ErrorCode::invalid_argument, directory.string(),
         ": expected a model directory, found something else");
  if (fs::status(directory / "config.json", error).type() == fs::file_type::not_found)
    fail(ErrorCode::not_found, directory.string(), ": not a model directory: no config.json in it");
}

}  // namespace

std::vector<std::string> known_model_types() {
  std::vector<std::string> types;
  for (const Architecture& architecture : kArchitectures) types.push_back(architecture.model_type);
  return types;
}

ModelFiles open_model_files(const std::filesystem::path& directory) {
  check_directory(directory);
  return {Json::read_file((directory / "config.json").string()), Tensors(Shards::open(directory))};
}

LoadedModel load_model(const std::filesystem::path& directory) {
  ModelFiles files = open_model_files(directory);
  return load_model(files);
}

LoadedModel load_model(ModelFiles& files) {
  const Json& config = files.config;
  const std::string_view model_type = config.root().at("model_type").as_string();
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.model_type != model_type) continue;
    LoadedModel model = architecture.load(config.root(), files.tensors);
    model.architecture = architecture.model_type;
    return model;
  }
  fail(ErrorCode::unsupported, config.name(), ": field \"model_type\": \"", model_type,
       "\" is not supported; known: ", known_names());
}

}  // namespace headway
