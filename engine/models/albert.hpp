// ALBERT: Lan et al., 2020, "ALBERT: A Lite BERT for Self-supervised Learning of Language
// Representations".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' AlbertModel. Errors as load_bert.
LoadedModel load_albert(JsonNode config, Tensors& tensors);

}  // namespace headway
