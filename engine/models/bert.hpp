// BERT: Devlin et al., 2018, "BERT: Pre-training of Deep Bidirectional Transformers".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of Hugging Face transformers' BertModel: `config` is its config.json,
// `tensors` its weights, with or without the prefix "bert." that models with a head have. The
// pooler is not used. Error(unsupported) for variants with other mathematics (relative positions,
// decoders, other activations).
LoadedModel load_bert(const Json& config, Tensors& tensors);

}  // namespace headway
