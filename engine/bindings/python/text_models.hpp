// What the classes of models on texts have in common, whatever their task.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bindings/python/calls.hpp"
#include "engine/bindings/python/memory.hpp"
#include "headway/embedder.hpp"

namespace headway::python {

using TextList = nanobind::typed<nanobind::list, nanobind::any>;
using Facts = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// The UTF-8 of Python's texts, which this keeps alive. `name` is that of the argument.
class Texts {
 public:
  explicit Texts(const TextList& texts, std::string_view name = "texts");
  const std::vector<std::string_view>& views() const { return views_; }
  size_t bytes() const;

 private:
  void add(nanobind::handle text, std::string_view name);

  std::vector<nanobind::object> alive_;
  std::vector<std::string_view> views_;
};

// How many characters, which Python counts, stand before each byte of a text and before its end.
std::vector<size_t> characters_before(std::string_view text);

EmbedderOptions read_model_options(int threads, const std::string& precision, int64_t max_length,
                                   size_t memory);
Facts facts_of(const ModelInfo& model, const EngineInfo& engine);
// As the model sees the texts: with special tokens, cut at its limit.
std::vector<std::vector<int32_t>> tokenize(const Tokenizer& tokenizer, int64_t max_length,
                                           const TextList& texts);

// call_library() for a model that reads so many bytes of texts.
void call_model(const ModelInfo& model, size_t bytes, const CancelToken* cancel,
                const std::function<void(const RunOptions&)>& work);

// The class with all but the functions of its task.
template <typename Model>
nanobind::class_<Model> add_text_model(nanobind::module_& module, const char* name) {
  namespace nb = nanobind;
  using namespace nb::literals;
  const auto open = [](nb::bytes path, int threads, const std::string& precision,
                       int64_t max_length, size_t memory) {
    const EmbedderOptions options = read_model_options(threads, precision, max_length, memory);
    const std::string directory(path.c_str(), path.size());
    const nb::gil_scoped_release others_may_run;
    return Model::open(directory, options);
  };
  return nb::class_<Model>(module, name)
      .def_static("open", open, "path"_a, "threads"_a, "precision"_a, "max_length"_a, "memory"_a)
      .def(
          "tokenize",
          [](const Model& model, const TextList& texts) {
            return tokenize(model.tokenizer(), model.info().max_length, texts);
          },
          "texts"_a)
      .def("info", [](const Model& model) { return facts_of(model.info(), model.engine().info()); })
      .def("memory", [](const Model& model) { return memory_use(model.engine()); })
      .def("trim", [](const Model& model) { model.engine().trim(); });
}

}  // namespace headway::python
