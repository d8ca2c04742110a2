// Takes weights from a model's files by the names a model gives them, and checks what comes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>

#include "engine/models/shards.hpp"
#include "headway/layers.hpp"
#include "headway/weights.hpp"

namespace headway {

// Weights of a layer norm; beta may be absent.
struct NormWeights {
  Weight gamma;
  Weight beta;
};

enum class Bias : uint8_t { absent, present };

// What has been taken of some files.
struct Taken {
  int64_t elements = 0;   // of all tensors
  std::set<DType> types;  // that they have there

  void add(const Taken& other);
};

// One thread.
class Tensors {
 public:
  explicit Tensors(Shards shards) : shards_(std::move(shards)), taken_(std::make_shared<Taken>()) {}

  // Which of these prefixes the names carry, told by one tensor that every such file has; all names
  // given later get it. Error(not_found) naming all of them when none is there.
  void choose_prefix(std::initializer_list<const char*> prefixes, const std::string& tensor);

  // The tensor `name`. Error(not_found) naming file and tensor; Error(format) when its shape is not
  // `shape`, Error(unsupported) when its type is not f32, f16 or bf16.
  Weight take(const std::string& name, const Shape& shape);
  // `name`.weight [out, in] and `name`.bias [out].
  LinearWeights take_linear(const std::string& name, int64_t out, int64_t in,
                            Bias bias = Bias::present);
  // `name`.weight and `name`.bias [width], or `name`.gamma and `name`.beta, as files converted from
  // BERT's first TensorFlow release have them.
  NormWeights take_norm(const std::string& name, int64_t width, Bias bias = Bias::present);

  // The same files, their names as they stand there: for what lies beside the model. Copies count
  // together.
  Tensors without_prefix() const {
    Tensors tensors = *this;
    tensors.prefix_.clear();
    return tensors;
  }

  bool contains(const std::string& name) const { return shards_.contains(prefix_ + name); }
  // Where the tensors are, for messages.
  const std::string& path() const { return shards_.path(); }
  const Taken& taken() const { return *taken_; }

 private:
  Shards shards_;
  std::string prefix_;
  std::shared_ptr<Taken> taken_;
};

}  // namespace headway
