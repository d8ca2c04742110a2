// Classifiers of tokens.
#include "headway/token_classifier.hpp"

#include <string_view>
#include <vector>

#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(token_classifier, headway::TokenClassifier)

namespace headway::c {
namespace {

Aggregation read_aggregation(int32_t value) {
  switch (value) {
    case HEADWAY_AGGREGATE_NONE:
      return Aggregation::none;
    case HEADWAY_AGGREGATE_SIMPLE:
      return Aggregation::simple;
    case HEADWAY_AGGREGATE_FIRST:
      return Aggregation::first;
    case HEADWAY_AGGREGATE_AVERAGE:
      return Aggregation::average;
    case HEADWAY_AGGREGATE_MAX:
      return Aggregation::max;
  }
  fail(ErrorCode::invalid_argument,
       "request.aggregation: expected HEADWAY_AGGREGATE_NONE to _MAX, found ", value);
}

// The same text where it lives as long as the model: aggregated labels are the ends of the model's.
const char* kept(std::string_view label, const std::vector<std::string>& labels) {
  for (const std::string& whole : labels)
    if (whole.ends_with(label)) return whole.c_str() + (whole.size() - label.size());
  fail(ErrorCode::internal, "an entity has the label \"", label, "\", which the model has not");
}

void tag(const TokenClassifier& classifier, headway_tag_request& request) {
  const headway_tag_request given = read_struct(&request, "request");
  EntityOptions chosen{.aggregation = read_aggregation(given.aggregation)};
  if (given.ignored_labels || given.ignored_label_count > 0) {
    const auto ignored =
        read_texts(given.ignored_labels, given.ignored_label_count, "request.ignored_labels");
    chosen.ignored_labels.assign(ignored.begin(), ignored.end());
  }
  const std::vector<std::string_view> texts = read_texts(given.texts, given.count, "request.texts");
  not_null(given.offsets, "request.offsets");
  if (given.capacity > 0) not_null(given.entities, "request.entities");
  const Entities found = classifier.classify(texts, read_run_options(given.run), chosen);
  size_t total = 0;
  for (const std::vector<Entity>& entities : found.texts) total += entities.size();
  write_outcome(request, found.stats, total, given.capacity);
  size_t* offset = given.offsets;
  size_t written = 0;
  for (const std::vector<Entity>& entities : found.texts) {
    *offset++ = written;
    for (const Entity& entity : entities)
      given.entities[written++] = {kept(entity.label, classifier.info().labels), entity.score,
                                   entity.begin, entity.end};
  }
  *offset = written;
}

}  // namespace
}  // namespace headway::c

headway_status headway_tag(const headway_token_classifier* token_classifier,
                           headway_tag_request* request, headway_error* error) {
  return headway::c::run_model(token_classifier, request, error, headway::c::tag);
}
