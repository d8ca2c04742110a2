// The Embedder.
#include "headway/embedder.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/calls.hpp"
#include "engine/bindings/python/memory.hpp"
#include "engine/bindings/python/parts.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

Embedder open(nb::bytes path, int threads, const std::string& precision, int64_t max_length,
              size_t memory) {
  EmbedderOptions options;
  options.threads = threads;
  options.precision = read_precision(precision);
  options.max_length = max_length;
  options.memory = memory;
  const std::string name(path.c_str(), path.size());
  const nb::gil_scoped_release others_may_run;
  return Embedder::open(name, options);
}

// The UTF-8 of Python's texts, which this keeps alive.
class Texts {
 public:
  explicit Texts(nb::typed<nb::list, nb::any> texts) {
    for (nb::handle text : texts) add(nb::borrow(text));
  }
  const std::vector<std::string_view>& views() const { return views_; }

 private:
  void add(nb::object text) {
    const auto name = [&] { return "texts[" + std::to_string(views_.size()) + "]: "; };
    if (!PyUnicode_Check(text.ptr()))
      throw nb::type_error(
          (name() + "expected str, found " + nb::type_name(text.type()).c_str()).c_str());
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) {
      if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
      PyErr_Clear();
      throw Error(ErrorCode::invalid_argument,
                  name() + "expected text, found half of a surrogate pair");
    }
    views_.emplace_back(data, static_cast<size_t>(size));
    alive_.push_back(std::move(text));
  }

  std::vector<nb::object> alive_;
  std::vector<std::string_view> views_;
};

EmbedOptions read_chosen(const std::optional<std::string>& prompt,
                         const std::optional<std::string>& prompt_name, int64_t dimensions) {
  return {prompt, prompt_name, dimensions};
}

// Numbers of the vectors that embed() writes.
int64_t width(const Embedder& embedder, int64_t dimensions) {
  return embedder.dim_of({.dimensions = dimensions});
}

void embed(const Embedder& embedder, nb::typed<nb::list, nb::any> texts,
           const std::optional<std::string>& prompt, const std::optional<std::string>& prompt_name,
           int64_t dimensions, OutputArray<2> out, const CancelToken* cancel) {
  const Texts given(texts);
  const EmbedOptions chosen = read_chosen(prompt, prompt_name, dimensions);
  if (out.shape(0) != given.views().size() ||
      out.shape(1) != static_cast<size_t>(embedder.dim_of(chosen)))
    throw Error(ErrorCode::internal, "out has another shape than [texts, dim]");
  // In English a token has four bytes; each multiplies by all weights but the embeddings.
  double bytes = 0;
  for (const std::string_view text : given.views()) bytes += static_cast<double>(text.size());
  const double flops = bytes / 4 * 2 * static_cast<double>(embedder.info().parameters);
  call_library(cancel, flops, [&](const std::stop_token& stop) {
    RunOptions options;
    options.stop = stop;
    embedder.embed(given.views(), out.data(), options, chosen);
  });
}

// As the model sees the texts: with special tokens, cut at its limit.
std::vector<std::vector<int32_t>> tokenize(const Embedder& embedder,
                                           nb::typed<nb::list, nb::any> texts) {
  const Texts given(texts);
  const nb::gil_scoped_release others_may_run;
  const EncodeOptions options{.max_length = static_cast<size_t>(embedder.info().max_length)};
  std::vector<std::vector<int32_t>> ids;
  ids.reserve(given.views().size());
  for (const std::string_view text : given.views())
    ids.push_back(embedder.tokenizer().encode(text, options).ids);
  return ids;
}

nb::typed<nb::dict, nb::str, nb::any> info(const Embedder& embedder) {
  const ModelInfo& model = embedder.info();
  const EngineInfo engine = embedder.engine().info();
  nb::typed<nb::dict, nb::str, nb::any> facts;
  facts["architecture"] = model.architecture;
  facts["parameters"] = model.parameters;
  facts["weights"] = model.weights;
  facts["layers"] = model.layers;
  facts["dim"] = model.dim;
  facts["heads"] = model.heads;
  facts["vocabulary"] = model.vocabulary;
  facts["tokenizer"] = model.tokenizer;
  facts["max_length"] = model.max_length;
  facts["sources"] = model.sources;
  facts["pooling"] = model.pooling;
  facts["normalize"] = model.normalize;
  facts["prompts"] = model.prompts;
  facts["default_prompt_name"] = model.default_prompt_name;
  facts["threads"] = engine.threads;
  facts["precision"] = to_string(engine.precision);
  return facts;
}

}  // namespace

void add_embedder(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Embedder>(module, "Embedder")
      .def_static("open", &open, "path"_a, "threads"_a, "precision"_a, "max_length"_a, "memory"_a)
      .def("embed", &embed, "texts"_a, "prompt"_a.none(), "prompt_name"_a.none(), "dimensions"_a,
           "out"_a.noconvert(), "cancel"_a.none())
      .def("width", &width, "dimensions"_a)
      .def("tokenize", &tokenize, "texts"_a)
      .def("info", &info)
      .def("memory", [](const Embedder& embedder) { return memory_use(embedder.engine()); })
      .def("trim", [](const Embedder& embedder) { embedder.engine().trim(); });
}

}  // namespace headway::python
