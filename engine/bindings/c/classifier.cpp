// Classifiers of texts.
#include "headway/classifier.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(classifier, headway::Classifier)

namespace headway::c {
namespace {

void classify(const Classifier& classifier, headway_classify_request& request) {
  const headway_classify_request given = read_struct(&request, "request");
  const size_t needed = checked_mul(given.count, classifier.info().labels.size(), "request.count");
  if (given.capacity < needed) throw BufferTooSmall{"request.capacity", needed, given.capacity};
  const std::vector<std::string_view> texts = read_texts(given.texts, given.count, "request.texts");
  if (given.count > 0) not_null(given.scores, "request.scores");
  const Classes classes = classifier.classify(texts, read_run_options(given.run));
  std::copy(classes.scores.begin(), classes.scores.end(), given.scores);
  request.tokens = classes.stats.tokens;
  request.truncated = classes.stats.truncated;
}

}  // namespace
}  // namespace headway::c

headway_status headway_classify(const headway_classifier* classifier,
                                headway_classify_request* request, headway_error* error) {
  return headway::c::run_model(classifier, request, error, headway::c::classify);
}
