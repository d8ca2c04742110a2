// The MaskedLM.
#include "headway/masked_lm.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

// id, text and score.
using Filled = std::tuple<int32_t, std::string, float>;

// Of each text and each mask in it.
std::vector<std::vector<std::vector<Filled>>> fill_mask(const MaskedLM& model,
                                                        const TextList& texts, size_t top_k,
                                                        const CancelToken* cancel) {
  const Texts given(texts);
  std::vector<std::vector<std::vector<Filled>>> result(given.views().size());
  call_model(model.info(), given.bytes(), cancel, [&](const RunOptions& options) {
    const FilledMasks filled = model.fill_mask(given.views(), top_k, options);
    for (size_t i = 0; i < filled.texts.size(); ++i) {
      for (const std::vector<FilledToken>& tokens : filled.texts[i]) {
        std::vector<Filled>& mask = result[i].emplace_back();
        for (const FilledToken& token : tokens)
          mask.emplace_back(token.id, token.text, token.score);
      }
    }
  });
  return result;
}

}  // namespace

void add_masked_lm(nb::module_& module) {
  using namespace nb::literals;
  add_text_model<MaskedLM>(module, "MaskedLM")
      .def("mask_token", &MaskedLM::mask_token)
      .def("fill_mask", &fill_mask, "texts"_a, "top_k"_a, "cancel"_a.none());
}

}  // namespace headway::python
