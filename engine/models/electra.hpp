// ELECTRA: Clark et al., 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than
// Generators".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' ElectraModel, discriminator or generator. Errors as load_bert.
LoadedModel load_electra(JsonNode config, Tensors& tensors);

}  // namespace headway
