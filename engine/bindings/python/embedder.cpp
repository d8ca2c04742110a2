// The Embedder.
#include "headway/embedder.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

// Numbers of the vectors that embed() writes.
int64_t width(const Embedder& embedder, int64_t dimensions) {
  return embedder.dim_of({.dimensions = dimensions});
}

void embed(const Embedder& embedder, const TextList& texts,
           const std::optional<std::string>& prompt, const std::optional<std::string>& prompt_name,
           int64_t dimensions, OutputArray<2> out, const CancelToken* cancel) {
  const Texts given(texts);
  const EmbedOptions chosen{prompt, prompt_name, dimensions};
  if (out.shape(0) != given.views().size() ||
      out.shape(1) != static_cast<size_t>(embedder.dim_of(chosen)))
    throw Error(ErrorCode::internal, "out has another shape than [texts, dim]");
  call_model(embedder.info(), given.bytes(), cancel, [&](const RunOptions& options) {
    embedder.embed(given.views(), out.data(), options, chosen);
  });
}

}  // namespace

void add_embedder(nb::module_& module) {
  using namespace nb::literals;
  add_text_model<Embedder>(module, "Embedder")
      .def("embed", &embed, "texts"_a, "prompt"_a.none(), "prompt_name"_a.none(), "dimensions"_a,
           "out"_a.noconvert(), "cancel"_a.none())
      .def("width", &width, "dimensions"_a);
}

}  // namespace headway::python
