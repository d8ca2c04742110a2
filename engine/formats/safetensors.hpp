// Reads safetensors files that nobody vouches for
// (https://huggingface.co/docs/safetensors, format section).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/platform/file.hpp"
#include "headway/tensor.hpp"

namespace headway {

// One tensor of a file.
struct SafetensorsEntry {
  std::string name;
  std::string type_name;             // as the file has it: "F32", "F8_E4M3"
  std::optional<DType> dtype;        // nothing for a type that DType lacks
  std::vector<int64_t> shape;        // outermost first, row-major; no extent is negative
  size_t offset = 0;                 // of the data in the file
  std::span<const std::byte> bytes;  // the data, little-endian, at any alignment
};

// The validated content of a file in memory.
struct SafetensorsContent {
  std::vector<SafetensorsEntry> tensors;                      // in the order of the header
  std::vector<std::pair<std::string, std::string>> metadata;  // `__metadata__`, likewise
};

// `file` is the whole file, which the entries' bytes point into; `path` stands in messages. The
// header's length, JSON, types, shapes and offsets are checked: the tensors fill everything after
// the header without holes and overlaps. Error(format), or Error(unsupported) for an unknown type,
// naming the file, the tensor, what was expected and what was found.
SafetensorsContent parse_safetensors(std::span<const std::byte> file, const std::string& path);

// A mapped file. Copies share the mapping; any thread may read.
class SafetensorsFile {
 public:
  // Errors of MappedFile::open and parse_safetensors.
  static SafetensorsFile open(const std::string& path);

  const std::vector<SafetensorsEntry>& tensors() const { return content_->tensors; }
  const std::vector<std::pair<std::string, std::string>>& metadata() const {
    return content_->metadata;
  }
  // nullptr when there is none; logarithmic. Lives as long as a copy of this object.
  const SafetensorsEntry* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  const std::string& path() const { return file_->path(); }
  // Owns the memory of all entries' bytes: keep it as long as they are read. Its release() takes
  // SafetensorsEntry::offset.
  const std::shared_ptr<const MappedFile>& file() const { return file_; }

 private:
  SafetensorsFile() = default;
  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<const SafetensorsContent> content_;
  std::shared_ptr<const std::vector<uint32_t>> by_name_;  // indices of tensors, sorted by name
};

}  // namespace headway
