// MPNet: Song et al., 2020, "MPNet: Masked and Permuted Pre-training for Language Understanding".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' MPNetModel; token types make no difference to it. Positions are
// counted as RoBERTa's (load_roberta), always from the padding id 1. Errors as load_bert.
LoadedModel load_mpnet(JsonNode config, Tensors& tensors);

}  // namespace headway
