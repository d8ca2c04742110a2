// The TokenClassifier.
#include "headway/token_classifier.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

// label, score, word, and the characters that it stands at.
using Found = std::tuple<std::string, float, std::string, size_t, size_t>;

std::vector<std::vector<Found>> classify(const TokenClassifier& classifier, const TextList& texts,
                                         const std::string& aggregation,
                                         const std::vector<std::string>& ignored_labels,
                                         const CancelToken* cancel) {
  const Texts given(texts);
  const EntityOptions chosen{named("aggregation", aggregation,
                                   {Aggregation::none, Aggregation::simple, Aggregation::first,
                                    Aggregation::average, Aggregation::max}),
                             ignored_labels};
  std::vector<std::vector<Found>> result(given.views().size());
  call_model(classifier.info(), given.bytes(), cancel, [&](const RunOptions& options) {
    const Entities found = classifier.classify(given.views(), options, chosen);
    for (size_t i = 0; i < found.texts.size(); ++i) {
      const std::vector<Entity>& entities = found.texts[i];
      size_t end = 0;  // the text may go on far behind the limit
      for (const Entity& entity : entities) end = std::max(end, entity.end);
      const std::vector<size_t> characters = characters_before(given.views()[i].substr(0, end));
      for (const Entity& entity : entities)
        result[i].emplace_back(entity.label, entity.score, entity.word, characters[entity.begin],
                               characters[entity.end]);
    }
  });
  return result;
}

}  // namespace

void add_token_classifier(nb::module_& module) {
  using namespace nb::literals;
  add_text_model<TokenClassifier>(module, "TokenClassifier")
      .def("classify", &classify, "texts"_a, "aggregation"_a, "ignored_labels"_a,
           "cancel"_a.none());
}

}  // namespace headway::python
