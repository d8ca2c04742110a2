// RoBERTa: Liu et al., 2019, "RoBERTa: A Robustly Optimized BERT Pretraining Approach"; and
// XLM-RoBERTa (Conneau et al., 2020) and CamemBERT (Martin et al., 2020), which are the same to us.
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of transformers' RobertaModel, XLMRobertaModel and CamembertModel. The longest
// sequence has max_position_embeddings - pad_token_id - 1 tokens; the padding id within a text
// takes the position of padding, as there. Errors as load_bert.
LoadedModel load_roberta(JsonNode config, Tensors& tensors);

}  // namespace headway
