// JSON files that a model directory may or may not have.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/formats/json.hpp"

namespace headway {

// Nothing when there is no file of this name; what is there but cannot be read is an Error.
inline std::optional<Json> read_optional_json(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) return std::nullopt;
  return Json::read_file(path.string());
}

}  // namespace headway
