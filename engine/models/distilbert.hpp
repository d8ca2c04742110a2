// DistilBERT: Sanh et al., 2019, "DistilBERT, a distilled version of BERT".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' DistilBertModel; token types make no difference to it. Sinusoidal
// positions are read from the file, as there. Errors as load_bert.
LoadedModel load_distilbert(JsonNode config, Tensors& tensors);

}  // namespace headway
