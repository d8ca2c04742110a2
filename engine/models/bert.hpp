// BERT: Devlin et al., 2018, "BERT: Pre-training of Deep Bidirectional Transformers".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of Hugging Face transformers' BertModel: `config` is the root of its config.json,
// `tensors` its weights, with or without the prefix "bert." that models with a head have. The
// pooler is not used. Error(unsupported) for variants with other mathematics (relative positions,
// decoders, other activations); with "alibi" as position_embedding_type it is load_jina_bert.
LoadedModel load_bert(JsonNode config, Tensors& tensors);

}  // namespace headway
