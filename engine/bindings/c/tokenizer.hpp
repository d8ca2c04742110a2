// What embedders and tokenizers share: the handle of a tokenizer, and texts.
#pragma once

#include <limits>
#include <string_view>

#include "engine/base/message.hpp"
#include "headway/error.hpp"
#include "headway/headway.h"
#include "headway/tokenizer.hpp"

struct headway_tokenizer {
  headway::Tokenizer tokenizer;
};

namespace headway::c {

// Error(invalid_argument) naming the field, whose name is put together from `name`.
inline std::string_view read_text(const headway_text& text, const auto&... name) {
  if (text.length > 0 && !text.data)
    fail(ErrorCode::invalid_argument, name..., ".data: expected ", text.length,
         " bytes, found NULL");
  if (text.length > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()))
    fail(ErrorCode::invalid_argument, name..., ".length: ", text.length,
         " bytes are more than a machine can address");
  return text.data ? std::string_view(text.data, text.length) : std::string_view();
}

}  // namespace headway::c
