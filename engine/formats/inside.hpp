// Paths that a model's files name.
#pragma once

#include <filesystem>

#include "engine/formats/json.hpp"

namespace headway {

// The path that `field`, a string, names below `directory`, which exists; `directory` itself when
// it is empty. A model from elsewhere must not make us read other files: Error(format) naming the
// field when the path is absolute, has "..", or leads out of the directory by a symbolic link. What
// it leads to need not exist.
std::filesystem::path path_inside(const std::filesystem::path& directory, JsonNode field);

}  // namespace headway
