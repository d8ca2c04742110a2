// Scores of documents, for all models that give them.
#pragma once

#include <string>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace headway::python {

template <typename Model>
void score(const Model& model, const std::string& query, const TextList& documents,
           OutputArray<1> out, const CancelToken* cancel) {
  const Texts given(documents, "documents");
  const size_t count = given.views().size();
  if (out.shape(0) != count)
    throw Error(ErrorCode::internal, "out has another shape than [documents]");
  call_model(
      model.info(), given.bytes() + count * query.size(), cancel,
      [&](const RunOptions& options) { model.score(query, given.views(), out.data(), options); });
}

// Adds it to the class.
template <typename Model>
void add_score(nanobind::class_<Model>& type) {
  using namespace nanobind::literals;
  type.def("score", &score<Model>, "query"_a, "documents"_a, "out"_a.noconvert(),
           "cancel"_a.none());
}

}  // namespace headway::python
