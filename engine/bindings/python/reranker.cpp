// The Reranker.
#include "headway/reranker.hpp"

#include <string>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

void score(const Reranker& reranker, const std::string& query, const TextList& documents,
           OutputArray<1> out, const CancelToken* cancel) {
  const Texts given(documents, "documents");
  const size_t count = given.views().size();
  if (out.shape(0) != count)
    throw Error(ErrorCode::internal, "out has another shape than [documents]");
  call_model(reranker.info(), given.bytes() + count * query.size(), cancel,
             [&](const RunOptions& options) {
               reranker.score(query, given.views(), out.data(), options);
             });
}

}  // namespace

void add_reranker(nb::module_& module) {
  using namespace nb::literals;
  add_text_model<Reranker>(module, "Reranker")
      .def("score", &score, "query"_a, "documents"_a, "out"_a.noconvert(), "cancel"_a.none());
}

}  // namespace headway::python
