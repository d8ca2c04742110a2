// Texts through a classifier of tokens.
#include "headway/token_classifier.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/embed/entities.hpp"
#include "engine/embed/text_runner.hpp"
#include "engine/kernels/softmax.hpp"
#include "engine/models/heads.hpp"

namespace headway {

const char* to_string(Aggregation aggregation) {
  static constexpr const char* kNames[] = {"none", "simple", "first", "average", "max"};
  return kNames[static_cast<size_t>(aggregation)];
}

TokenClassifier TokenClassifier::open(const std::filesystem::path& directory,
                                      const EmbedderOptions& options) {
  OpenedModel opened = open_headed_model(directory, options, TransformerTask::token_classification);
  std::vector<std::string> labels = read_labels(opened.files.config);
  const auto count = static_cast<int64_t>(labels.size());
  opened.model.graph.output("logits", add_token_classifier(opened.files, opened.model, count));
  ModelInfo info = describe(opened);
  info.dim = count;
  info.activation = "softmax";
  info.labels = std::move(labels);
  info.sources["labels"] = labels_source(opened.files.config);
  TextRunner runner = make_runner(std::move(opened), std::move(info), options);
  // Scores of a window take 64 MB at most, unless it is one text.
  constexpr size_t kScores = size_t{1} << 24;
  runner.window_tokens = std::min(runner.window_tokens, kScores / static_cast<size_t>(count));
  return TokenClassifier(std::make_shared<const TextRunner>(std::move(runner)));
}

Entities TokenClassifier::classify(std::span<const std::string_view> texts,
                                   const RunOptions& options, const EntityOptions& chosen) const {
  const auto labels = static_cast<size_t>(info().dim);
  const EncodeOptions encode_options{.max_length = static_cast<size_t>(info().max_length),
                                     .offsets = true};
  Entities entities;
  entities.texts.resize(texts.size());
  std::vector<Encoding> encodings(texts.size());  // of the window's texts
  std::vector<float> scores;
  const auto bytes = [&](size_t i) { return texts[i].size(); };
  const auto encode = [&](size_t i, std::vector<int32_t>& ids, std::vector<int32_t>&) {
    encodings[i] = tokenizer().encode(texts[i], encode_options);
    ids.insert(ids.end(), encodings[i].ids.begin(), encodings[i].ids.end());
    return encodings[i].truncated;
  };
  const auto run = [&](const TextRunner::Window& window) {
    const auto tokens = static_cast<size_t>(window.batch.rows());
    scores.resize(checked_mul(tokens, labels, "scores"));
    const Output output{"logits",
                        MutableTensorView(scores.data(), {window.batch.rows(), info().dim})};
    engine().run(window.inputs, std::span(&output, 1), options);
    softmax_rows(scores.data(), tokens, labels, labels, 1);
    std::span<const float> rest = scores;
    for (size_t i = window.first; !rest.empty(); ++i) {
      const Encoding encoding = std::exchange(encodings[i], {});
      const size_t count = encoding.ids.size() * labels;
      entities.texts[i] =
          find_entities(tokenizer(), texts[i], encoding, rest.first(count), info().labels, chosen);
      rest = rest.subspan(count);
    }
  };
  entities.stats = runner().run(texts.size(), bytes, encode, run, options);
  return entities;
}

}  // namespace headway
