// Tokens that older ColBERT checkpoints put before queries and documents.
#pragma once

#include "engine/embed/colbert_config.hpp"
#include "engine/embed/text_model.hpp"

namespace headway {

// Makes the prefixes the first part of the prompts "query" and "document". Where the vocabulary has
// a prefix, or its first word, but the tokenizer would make something else of such a text, the
// tokenizer is opened anew with that as a special token.
void put_prefixes(const ColbertConfig& config, OpenedModel& opened);

}  // namespace headway
