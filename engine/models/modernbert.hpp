// ModernBERT: Warner et al., 2024, "Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder
// for Fast, Memory Efficient, and Long Context Finetuning and Inference".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' ModernBertModel; token types make no difference to it. Errors as
// load_bert; rotary positions that are scaled are not supported.
LoadedModel load_modernbert(JsonNode config, Tensors& tensors);

}  // namespace headway
