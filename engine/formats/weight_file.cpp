// Weights from a safetensors file.
#include "engine/base/message.hpp"
#include "engine/formats/safetensors.hpp"
#include "headway/weights.hpp"

namespace headway {
namespace {

// Keeps the mapping, and lets pages go that have been packed.
class MappedSource : public WeightSource {
 public:
  explicit MappedSource(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}

  void done_with(const void* data, size_t bytes) const override {
    file_->release(static_cast<size_t>(static_cast<const std::byte*>(data) - file_->bytes().data()),
                   bytes);
  }
  void expect_unchanged() const override { file_->expect_unchanged(); }

 private:
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace

struct WeightFile::State {
  SafetensorsFile tensors;
  std::filesystem::path path;
  std::shared_ptr<const WeightSource> source;
};

WeightFile WeightFile::open(const std::filesystem::path& path) {
  SafetensorsFile tensors = SafetensorsFile::open(path.string());
  auto source = std::make_shared<const MappedSource>(tensors.file());
  return WeightFile(
      std::make_shared<const State>(State{std::move(tensors), path, std::move(source)}));
}

bool WeightFile::contains(const std::string& name) const {
  return state_->tensors.contains(name);
}

Weight WeightFile::at(const std::string& name) const {
  const SafetensorsEntry* entry = state_->tensors.find(name);
  const std::string described = cat(state_->path.string(), ": tensor \"", name, "\"");
  if (entry == nullptr) fail(ErrorCode::not_found, described, " is missing");
  if (!entry->dtype)
    fail(ErrorCode::unsupported, described, " has the type ", entry->type_name,
         ", which Headway cannot read");
  return {TensorView(entry->bytes.data(), *entry->dtype, Shape(entry->shape)), described,
          state_->source};
}

std::vector<std::string> WeightFile::names() const {
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : state_->tensors.tensors()) names.push_back(entry.name);
  return names;
}

const std::filesystem::path& WeightFile::path() const {
  return state_->path;
}

}  // namespace headway
