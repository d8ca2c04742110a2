// Texts through a sequence classifier.
#include "headway/classifier.hpp"

#include <string>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/embed/sigmoid.hpp"
#include "engine/embed/text_runner.hpp"
#include "engine/kernels/softmax.hpp"
#include "engine/models/heads.hpp"

namespace headway {
namespace {

std::string_view problem_type(const Json& config) {
  return config.root().get_string("problem_type", "");
}

std::string activation_of(const Json& config, size_t labels) {
  const std::string_view problem = problem_type(config);
  if (problem == "regression") return "identity";
  if (problem == "multi_label_classification") return "sigmoid";
  if (problem == "single_label_classification" || problem.empty())
    return labels == 1 ? "sigmoid" : "softmax";
  fail(ErrorCode::unsupported, config.name(), ": field \"problem_type\": \"", problem,
       "\" is not supported; known: regression, single_label_classification, "
       "multi_label_classification");
}

}  // namespace

Classifier Classifier::open(const std::filesystem::path& directory,
                            const EmbedderOptions& options) {
  OpenedModel opened =
      open_headed_model(directory, options, TransformerTask::sequence_classification);
  std::vector<std::string> labels = read_labels(opened.files.config);
  const auto count = static_cast<int64_t>(labels.size());
  opened.model.graph.output("logits", add_sequence_classifier(opened.files, opened.model, count));
  ModelInfo info = describe(opened);
  info.dim = count;
  info.activation = activation_of(opened.files.config, labels.size());
  info.sources["activation"] = problem_type(opened.files.config).empty()
                                   ? "the number of labels"
                                   : "config.json: problem_type";
  info.labels = std::move(labels);
  info.sources["labels"] = labels_source(opened.files.config);
  return Classifier(
      std::make_shared<const TextRunner>(make_runner(std::move(opened), std::move(info), options)));
}

Classes Classifier::classify(std::span<const std::string_view> texts,
                             const RunOptions& options) const {
  Classes classes;
  classes.texts = checked_cast<int64_t>(texts.size(), "number of texts");
  classes.labels = info().dim;
  classes.scores.resize(checked_mul(texts.size(), static_cast<size_t>(classes.labels), "scores"));
  const EncodeOptions encode_options{.max_length = static_cast<size_t>(info().max_length)};
  const auto bytes = [&](size_t i) { return texts[i].size(); };
  const auto encode = [&](size_t i, std::vector<int32_t>& ids, std::vector<int32_t>&) {
    return tokenizer().encode_append(texts[i], encode_options, ids);
  };
  const auto run = [&](const TextRunner::Window& window) {
    float* const scores =
        classes.scores.data() + static_cast<int64_t>(window.first) * classes.labels;
    const Output output{"logits",
                        MutableTensorView(scores, {window.batch.sequences(), classes.labels})};
    engine().run(window.inputs, std::span(&output, 1), options);
  };
  classes.stats = runner().run(texts.size(), bytes, encode, run, options);
  if (info().activation == "softmax") {
    const auto labels = static_cast<size_t>(classes.labels);
    softmax_rows(classes.scores.data(), texts.size(), labels, labels, 1);
  } else if (info().activation == "sigmoid") {
    apply_sigmoid(classes.scores);
  }
  return classes;
}

}  // namespace headway
