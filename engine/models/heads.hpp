// What is put on top of a model for tasks: heads as transformers has them (5.24).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/model.hpp"

namespace headway {

// Each adds a head to the graph of `model`, with weights from its `files`, and returns the logits.
// Error(unsupported) for an architecture whose heads are not
// known, Error naming file and tensor for weights that are missing or of another shape.

// AutoModelForSequenceClassification: [sequences, labels].
Value add_sequence_classifier(ModelFiles& files, LoadedModel& model, int64_t labels);
// AutoModelForTokenClassification: [tokens, labels].
Value add_token_classifier(ModelFiles& files, LoadedModel& model, int64_t labels);
// AutoModelForMaskedLM: [tokens, vocabulary]. The decoder is the table of the tokens where the file
// has no other.
Value add_masked_lm(ModelFiles& files, LoadedModel& model);

// The names of a classifier's labels, as `id2label` of config.json has them; "LABEL_0" and so on
// for as many as `num_labels` says (2 by default) where there are none. Error(format) when the ids
// are not 0 to their number - 1.
std::vector<std::string> read_labels(const Json& config);
// The file and the field that say so.
std::string labels_source(const Json& config);

}  // namespace headway
