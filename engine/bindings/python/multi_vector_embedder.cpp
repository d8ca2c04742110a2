// The MultiVectorEmbedder.
#include "headway/multi_vector_embedder.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/score.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

auto embed(const MultiVectorEmbedder& embedder, const TextList& texts, bool queries,
           const std::optional<std::string>& prompt, const std::optional<std::string>& prompt_name,
           const CancelToken* cancel) {
  const Texts given(texts);
  const EmbedOptions chosen{prompt, prompt_name};
  MultiVectors vectors;
  call_model(embedder.info(), given.bytes(), cancel, [&](const RunOptions& options) {
    vectors = queries ? embedder.embed_queries(given.views(), options, chosen)
                      : embedder.embed_documents(given.views(), options, chosen);
  });
  return std::tuple(to_numpy(std::move(vectors.offsets)), to_numpy(std::move(vectors.values)));
}

float similarity(const MultiVectorEmbedder& embedder, DenseArray<2> query, DenseArray<2> document) {
  const nb::gil_scoped_release others_may_run;
  return embedder.similarity(std::span(query.data(), query.size()),
                             std::span(document.data(), document.size()));
}

}  // namespace

void add_multi_vector_embedder(nb::module_& module) {
  using namespace nb::literals;
  auto type = add_text_model<MultiVectorEmbedder>(module, "MultiVectorEmbedder");
  add_score(type);
  type.def("embed", &embed, "texts"_a, "queries"_a, "prompt"_a.none(), "prompt_name"_a.none(),
           "cancel"_a.none(), "The first row of each text, and rows, one after the other.")
      .def("similarity", &similarity, "query"_a.noconvert(), "document"_a.noconvert());
}

}  // namespace headway::python
