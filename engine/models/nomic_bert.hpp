// Nomic-BERT: Nussbaum et al., 2024, "Nomic Embed: Training a Reproducible Long Context Text
// Embedder".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' NomicBertModel, and of the code that the hub's directories come with
// (nomic-ai/nomic-bert-2048), which name the fields of config.json as GPT-2 does. Errors as
// load_bert; experts, learned positions and a norm before each part are not supported. Where
// `rotary_scaling_factor` would turn longer texts by other angles, texts may have
// `max_trained_positions` tokens, up to which it makes no difference.
LoadedModel load_nomic_bert(JsonNode config, Tensors& tensors);

}  // namespace headway
