// Encoding one text or two with the places that tokens come from, or in windows.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "engine/text/text_pipeline.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

// As Tokenizer::encode for one text, and as encode_pair for two; always with offsets.
Encoding encode_with_offsets(const TokenizerParts& parts, const TextPipeline& pipeline,
                             TextWorkspace& workspace,
                             std::initializer_list<std::string_view> texts,
                             const EncodeOptions& options);

// As Tokenizer::encode_windows for one text, and as encode_pair_windows for two.
std::vector<Encoding> encode_in_windows(const TokenizerParts& parts, const TextPipeline& pipeline,
                                        TextWorkspace& workspace,
                                        std::initializer_list<std::string_view> texts,
                                        size_t stride, const EncodeOptions& options);

}  // namespace headway
