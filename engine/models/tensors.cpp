// Weights by name, with their shapes checked.
#include "engine/models/tensors.hpp"

#include "engine/base/checked.hpp"

namespace headway {

void Tensors::choose_prefix(const std::string& first, const std::string& second,
                            const std::string& tensor) {
  for (const std::string& prefix : {first, second}) {
    if (!file_.contains(prefix + tensor)) continue;
    prefix_ = prefix;
    return;
  }
  fail(ErrorCode::not_found, file_.path().string(), ": neither tensor \"", first + tensor,
       "\" nor \"", second + tensor, "\"");
}

Weight Tensors::take(const std::string& name, const Shape& shape) {
  Weight weight = file_.at(prefix_ + name);
  const std::string where = cat(file_.path().string(), ": tensor \"", prefix_ + name, "\"");
  if (weight.shape() != shape)
    fail(ErrorCode::format, where, ": expected ", shape.to_string(), ", found ",
         weight.shape().to_string());
  const DType type = weight.view().dtype;
  if (type != DType::f32 && type != DType::f16 && type != DType::bf16)
    fail(ErrorCode::unsupported, where, ": expected f32, f16 or bf16, found ", to_string(type));
  elements_ = checked_add(elements_, shape.elements(), "elements of all weights");
  return weight;
}

LinearWeights Tensors::take_linear(const std::string& name, int64_t out, int64_t in) {
  return {take(name + ".weight", {out, in}), take(name + ".bias", {out})};
}

}  // namespace headway
