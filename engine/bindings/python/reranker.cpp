// The Reranker.
#include "headway/reranker.hpp"

#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/score.hpp"

namespace headway::python {

void add_reranker(nanobind::module_& module) {
  auto type = add_text_model<Reranker>(module, "Reranker");
  add_score(type);
}

}  // namespace headway::python
