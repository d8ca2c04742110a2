// The real model, for tests of the command.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace headway::cli {

// Its directory; the test fails with what to do when it is not there.
inline std::string model_directory() {
  const std::string path = HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(path + "/model.safetensors"))
    throw std::runtime_error(path + " is missing: run scripts/get_model.sh");
  return path;
}

}  // namespace headway::cli
