// The Classifier.
#include "headway/classifier.hpp"

#include <algorithm>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

void classify(const Classifier& classifier, const TextList& texts, OutputArray<2> out,
              const CancelToken* cancel) {
  const Texts given(texts);
  if (out.shape(0) != given.views().size() || out.shape(1) != classifier.info().labels.size())
    throw Error(ErrorCode::internal, "out has another shape than [texts, labels]");
  call_model(classifier.info(), given.bytes(), cancel, [&](const RunOptions& options) {
    const Classes classes = classifier.classify(given.views(), options);
    std::copy(classes.scores.begin(), classes.scores.end(), out.data());
  });
}

}  // namespace

void add_classifier(nb::module_& module) {
  using namespace nb::literals;
  add_text_model<Classifier>(module, "Classifier")
      .def("classify", &classify, "texts"_a, "out"_a.noconvert(), "cancel"_a.none());
}

}  // namespace headway::python
