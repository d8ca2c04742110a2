// Weights: views of the caller's memory or of tensors in a safetensors file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "headway/export.h"
#include "headway/tensor.hpp"

namespace headway {

// What keeps the memory of weights alive, where Headway does (a mapped file).
class HEADWAY_API WeightSource {
 public:
  virtual ~WeightSource() = default;
  // Called once these bytes have been packed: they will hardly be read again, so their pages may
  // go.
  virtual void done_with(const void* data, size_t bytes) const = 0;
  // Called before each run that reads the memory. Error(io) when it is no longer what it was.
  virtual void expect_unchanged() const {}
};

// One weight tensor, row-major, f32, f16 or bf16. Made from a TensorView it points into the
// caller's memory, which must stay unchanged as long as graphs and engines with it live; taken from
// a WeightFile it keeps the mapped file alive.
class HEADWAY_API Weight {
 public:
  Weight() = default;  // absent, for optional weights
  Weight(TensorView view, std::string name = "") : view_(view), name_(std::move(name)) {}
  Weight(TensorView view, std::string name, std::shared_ptr<const WeightSource> source)
      : view_(view), name_(std::move(name)), source_(std::move(source)) {}

  explicit operator bool() const { return view_.data != nullptr; }
  const TensorView& view() const { return view_; }
  const Shape& shape() const { return view_.shape; }
  // For messages: `model.safetensors: tensor "qkv.weight"`, or whatever the caller gave.
  const std::string& name() const { return name_; }

  // Rows [begin, end) of the first axis, as a weight of its own. Error(invalid_argument) when out
  // of range.
  Weight rows(int64_t begin, int64_t end) const;
  // Tells the source, if there is one, that the bytes have been packed.
  void done() const;
  // Error(io) when the file that it comes from has been written to.
  void expect_unchanged() const;

 private:
  TensorView view_;
  std::string name_;
  std::shared_ptr<const WeightSource> source_;
};

// The tensors of a safetensors file (https://huggingface.co/docs/safetensors), mapped read-only.
// Tables of f32 are read in place for as long as there are engines: the file may be removed or
// replaced by renaming meanwhile, but not written to. Runs after that are Error(io); a run at that
// very moment would be ended by the system with SIGBUS.
// Cheap to copy; safe to use from any number of threads.
class HEADWAY_API WeightFile {
 public:
  // Maps and validates the file. Error(io) or Error(format) naming the file and what is wrong with
  // it.
  static WeightFile open(const std::filesystem::path& path);

  bool contains(const std::string& name) const;
  // Error(not_found) naming the file and the tensor.
  Weight at(const std::string& name) const;
  // Names in the order of the file.
  std::vector<std::string> names() const;
  const std::filesystem::path& path() const;

 private:
  struct State;
  explicit WeightFile(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace headway
