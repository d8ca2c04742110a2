// Takes weights from a file by the names a model gives them, and checks what comes.
#pragma once

#include <cstdint>
#include <string>

#include "headway/layers.hpp"
#include "headway/weights.hpp"

namespace headway {

// Counts what is taken. One thread.
class Tensors {
 public:
  explicit Tensors(WeightFile file) : file_(std::move(file)) {}

  // Which of two prefixes the names carry, told by one tensor that every such file has; all names
  // given later get it. Error(not_found) naming both when neither is there.
  void choose_prefix(const std::string& first, const std::string& second,
                     const std::string& tensor);

  // The tensor `name`. Error(not_found) naming file and tensor; Error(format) when its shape is not
  // `shape`, Error(unsupported) when its type is not f32, f16 or bf16.
  Weight take(const std::string& name, const Shape& shape);
  // `name`.weight [out, in] and `name`.bias [out].
  LinearWeights take_linear(const std::string& name, int64_t out, int64_t in);

  // The same files, their names as they stand there: for what lies beside the model. Counts anew.
  Tensors without_prefix() const { return Tensors(file_); }

  bool contains(const std::string& name) const { return file_.contains(prefix_ + name); }
  // Elements of all tensors taken.
  int64_t elements() const { return elements_; }

 private:
  WeightFile file_;
  std::string prefix_;
  int64_t elements_ = 0;
};

}  // namespace headway
