// Options, texts, calls and facts of models on texts.
#include "engine/bindings/python/text_models.hpp"

#include <nanobind/stl/map.h>

#include "engine/bindings/python/arrays.hpp"
#include "headway/error.hpp"

namespace nb = nanobind;

namespace headway::python {

Texts::Texts(const TextList& texts, std::string_view name) {
  for (const nb::handle text : texts) add(text, name);
}

void Texts::add(nb::handle text, std::string_view name) {
  const auto place = [&] {
    return std::string(name) + "[" + std::to_string(views_.size()) + "]: ";
  };
  if (!PyUnicode_Check(text.ptr()))
    throw nb::type_error(
        (place() + "expected str, found " + nb::type_name(text.type()).c_str()).c_str());
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!data) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
    PyErr_Clear();
    throw Error(ErrorCode::invalid_argument,
                place() + "expected text, found half of a surrogate pair");
  }
  views_.emplace_back(data, static_cast<size_t>(size));
  alive_.push_back(nb::borrow(text));
}

size_t Texts::bytes() const {
  size_t bytes = 0;
  for (const std::string_view text : views_) bytes += text.size();
  return bytes;
}

std::vector<size_t> characters_before(std::string_view text) {
  std::vector<size_t> before;
  before.reserve(text.size() + 1);
  size_t count = 0;
  for (const char byte : text) {
    before.push_back(count);
    count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }
  before.push_back(count);
  return before;
}

EmbedderOptions read_model_options(int threads, const std::string& precision, int64_t max_length,
                                   size_t memory) {
  EmbedderOptions options;
  options.threads = threads;
  options.precision = read_precision(precision);
  options.max_length = max_length;
  options.memory = memory;
  return options;
}

Facts facts_of(const ModelInfo& model, const EngineInfo& engine) {
  Facts facts;
  facts["architecture"] = model.architecture;
  facts["parameters"] = model.parameters;
  facts["weights"] = model.weights;
  facts["layers"] = model.layers;
  facts["dim"] = model.dim;
  facts["heads"] = model.heads;
  facts["vocabulary"] = model.vocabulary;
  facts["tokenizer"] = model.tokenizer;
  facts["max_length"] = model.max_length;
  facts["pooling"] = model.pooling;
  facts["normalize"] = model.normalize;
  facts["prompts"] = model.prompts;
  facts["default_prompt_name"] = model.default_prompt_name;
  facts["labels"] = model.labels;
  facts["activation"] = model.activation;
  facts["sources"] = model.sources;
  facts["threads"] = engine.threads;
  facts["precision"] = to_string(engine.precision);
  return facts;
}

std::vector<std::vector<int32_t>> tokenize(const Tokenizer& tokenizer, int64_t max_length,
                                           const TextList& texts) {
  const Texts given(texts);
  const nb::gil_scoped_release others_may_run;
  const EncodeOptions options{.max_length = static_cast<size_t>(max_length)};
  std::vector<std::vector<int32_t>> ids;
  ids.reserve(given.views().size());
  for (const std::string_view text : given.views())
    ids.push_back(tokenizer.encode(text, options).ids);
  return ids;
}

void call_model(const ModelInfo& model, size_t bytes, const CancelToken* cancel,
                const std::function<void(const RunOptions&)>& work) {
  // In English a token has four bytes; each multiplies by all weights but the embeddings.
  const double flops = static_cast<double>(bytes) / 4 * 2 * static_cast<double>(model.parameters);
  call_library(cancel, flops, [&](const std::stop_token& stop) {
    RunOptions options;
    options.stop = stop;
    work(options);
  });
}

}  // namespace headway::python
