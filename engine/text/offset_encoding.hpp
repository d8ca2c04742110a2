// Encoding one text or two with the places that tokens come from.
#pragma once

#include <initializer_list>
#include <string_view>

#include "engine/text/text_pipeline.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

// As Tokenizer::encode for one text, and as encode_pair for two.
Encoding encode_with_offsets(const TokenizerParts& parts, const TextPipeline& pipeline,
                             TextWorkspace& workspace,
                             std::initializer_list<std::string_view> texts,
                             const EncodeOptions& options);

}  // namespace headway
