// Masked language models.
#include "headway/masked_lm.hpp"

#include <string_view>
#include <vector>

#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(masked_lm, headway::MaskedLM)

namespace headway::c {
namespace {

void fill_mask(const MaskedLM& model, headway_fill_mask_request& request) {
  const headway_fill_mask_request given = read_struct(&request, "request");
  const std::vector<std::string_view> texts = read_texts(given.texts, given.count, "request.texts");
  not_null(given.offsets, "request.offsets");
  if (given.capacity > 0) {
    not_null(given.ids, "request.ids");
    not_null(given.scores, "request.scores");
  }
  const size_t top_k = given.top_k == 0 ? 5 : given.top_k;
  const FilledMasks filled = model.fill_mask(texts, top_k, read_run_options(given.run));
  size_t total = 0;
  for (const auto& masks : filled.texts) total += masks.size() * top_k;
  write_outcome(request, filled.stats, total, given.capacity);
  size_t* offset = given.offsets;
  size_t written = 0;
  for (const auto& masks : filled.texts) {
    *offset++ = written;
    for (const std::vector<FilledToken>& tokens : masks) {
      for (const FilledToken& token : tokens) {
        given.ids[written] = token.id;
        given.scores[written++] = token.score;
      }
    }
  }
  *offset = written;
}

}  // namespace
}  // namespace headway::c

headway_status headway_masked_lm_get_mask_token(const headway_masked_lm* masked_lm,
                                                headway_text* token, headway_error* error) {
  return headway::c::use_model(masked_lm, error, [&](const headway::MaskedLM& model) {
    const std::string_view text = model.mask_token();
    headway::c::not_null(token, "token") = {text.data(), text.size()};
  });
}

headway_status headway_fill_mask(const headway_masked_lm* masked_lm,
                                 headway_fill_mask_request* request, headway_error* error) {
  return headway::c::run_model(masked_lm, request, error, headway::c::fill_mask);
}
