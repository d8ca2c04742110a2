// Weights by name, with their shapes checked.
#include "engine/models/tensors.hpp"

#include "engine/base/checked.hpp"

namespace headway {

void Taken::add(const Taken& other) {
  elements = checked_add(elements, other.elements, "elements of all weights");
  types.insert(other.types.begin(), other.types.end());
}

void Tensors::choose_prefix(std::initializer_list<const char*> prefixes,
                            const std::string& tensor) {
  std::string tried;
  for (const char* prefix : prefixes) {
    if (shards_.contains(prefix + tensor)) {
      prefix_ = prefix;
      return;
    }
    tried += cat(tried.empty() ? "\"" : ", \"", prefix, tensor, "\"");
  }
  fail(ErrorCode::not_found, shards_.path(), ": expected one of the tensors ", tried,
       ", found none");
}

Weight Tensors::take(const std::string& name, const Shape& shape) {
  Weight weight = shards_.at(prefix_ + name);
  if (weight.shape() != shape)
    fail(ErrorCode::format, weight.name(), ": expected ", shape.to_string(), ", found ",
         weight.shape().to_string());
  const DType type = weight.view().dtype;
  if (type != DType::f32 && type != DType::f16 && type != DType::bf16)
    fail(ErrorCode::unsupported, weight.name(), ": expected f32, f16 or bf16, found ",
         to_string(type));
  taken_->add({shape.elements(), {type}});
  return weight;
}

LinearWeights Tensors::take_linear(const std::string& name, int64_t out, int64_t in, Bias bias) {
  return {take(name + ".weight", {out, in}),
          bias == Bias::present ? take(name + ".bias", {out}) : Weight()};
}

NormWeights Tensors::take_norm(const std::string& name, int64_t width, Bias bias) {
  const bool old = contains(name + ".gamma");
  return {take(name + (old ? ".gamma" : ".weight"), {width}),
          bias == Bias::present ? take(name + (old ? ".beta" : ".bias"), {width}) : Weight()};
}

}  // namespace headway
