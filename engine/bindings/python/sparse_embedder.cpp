// The SparseEmbedder.
#include "headway/sparse_embedder.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

// One matrix of all vectors, in CSR form.
struct Csr {
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> indices;
  std::vector<float> data;

  explicit Csr(const std::vector<SparseVector>& vectors) {
    for (const SparseVector& vector : vectors) {
      indices.insert(indices.end(), vector.tokens.begin(), vector.tokens.end());
      data.insert(data.end(), vector.weights.begin(), vector.weights.end());
      indptr.push_back(static_cast<int64_t>(indices.size()));
    }
  }
};

auto embed(const SparseEmbedder& embedder, const TextList& texts,
           const std::optional<std::string>& prompt, const std::optional<std::string>& prompt_name,
           const CancelToken* cancel) {
  const Texts given(texts);
  const EmbedOptions chosen{prompt, prompt_name};
  std::optional<Csr> csr;
  call_model(embedder.info(), given.bytes(), cancel, [&](const RunOptions& options) {
    csr.emplace(embedder.embed(given.views(), options, chosen).vectors);
  });
  return std::tuple(to_numpy(std::move(csr->indptr)), to_numpy(std::move(csr->indices)),
                    to_numpy(std::move(csr->data)));
}

}  // namespace

void add_sparse_embedder(nb::module_& module) {
  using namespace nb::literals;
  add_text_model<SparseEmbedder>(module, "SparseEmbedder")
      .def("embed", &embed, "texts"_a, "prompt"_a.none(), "prompt_name"_a.none(), "cancel"_a.none(),
           "indptr [n + 1], indices and data of a CSR matrix.");
}

}  // namespace headway::python
