// Paths that a model's files name.
#include "engine/formats/inside.hpp"

#include <algorithm>

#include "engine/base/message.hpp"

namespace headway {

namespace fs = std::filesystem;

fs::path path_inside(const fs::path& directory, JsonNode field) {
  const std::string_view text = field.as_string();
  const fs::path path(text);
  const bool climbs = std::find(path.begin(), path.end(), fs::path("..")) != path.end();
  if (path.is_absolute() || climbs || text.find('\0') != std::string_view::npos)
    field.refuse(cat("expected a path inside the model directory, found \"", text, "\""));

  std::error_code error;
  const fs::path root = fs::canonical(directory, error);
  if (error) fail(ErrorCode::io, directory.string(), ": ", error.message());
  const fs::path target = fs::weakly_canonical(root / path, error);
  if (error) fail(ErrorCode::io, (directory / path).string(), ": ", error.message());
  if (std::mismatch(root.begin(), root.end(), target.begin(), target.end()).first != root.end())
    field.refuse(cat("expected a path inside the model directory, but \"", text,
                     "\" is a link to elsewhere"));
  return text.empty() ? directory : directory / path;
}

}  // namespace headway
