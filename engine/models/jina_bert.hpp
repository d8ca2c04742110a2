// JinaBERT v2: Günther et al., 2023, "Jina Embeddings 2: 8192-Token General-Purpose Text Embeddings
// for Long Documents".
#pragma once

#include "engine/formats/json.hpp"
#include "engine/models/model.hpp"
#include "engine/models/tensors.hpp"

namespace headway {

// The encoder of the code that the hub's directories come with (jinaai/jina-bert-implementation):
// model_type "bert" with position_embedding_type "alibi". Errors as load_bert; the variant that
// normalizes queries and keys (jinaai/jina-bert-v2-qk-post-norm) is not supported.
LoadedModel load_jina_bert(JsonNode config, Tensors& tensors);

}  // namespace headway
