// The heads, by one table of their tensors' names.
#include "engine/models/heads.hpp"

#include <string>
#include <utility>

#include "engine/base/message.hpp"
#include "engine/models/config.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

constexpr int64_t kMostLabels = 1 << 20;

// A Linear, its activation and perhaps a layer norm, before the last Linear of a head.
struct Transform {
  const char* dense;
  Activation activation = Activation::gelu_erf;
  const char* activation_field = nullptr;  // of config.json, which then decides
  const char* norm = nullptr;
  bool of_model = false;   // the names have the model's own prefix
  bool has_biases = true;  // else as `classifier_bias` and `norm_bias` say
  const char* epsilon_field = "layer_norm_eps";
  double epsilon = 1e-12;
};

struct HeadNames {
  const char* model_type;
  Transform sequence;  // of the first token
  const char* classifier;
  Transform masked;
  const char* decoder;
  const char* decoder_bias;  // where the file does not name it after the decoder
  // ModernBERT's classifiers of tokens transform them too, and `classifier_pooling` says what of a
  // sequence is classified.
  bool pools_by_config = false;
};

constexpr Transform kRobertaClassifier{"classifier.dense", Activation::tanh};
constexpr Transform kRobertaMasked{.dense = "lm_head.dense", .norm = "lm_head.layer_norm"};
constexpr Transform kModernHead{.dense = "head.dense",
                                .activation_field = "classifier_activation",
                                .norm = "head.norm",
                                .has_biases = false,
                                .epsilon_field = "norm_eps",
                                .epsilon = 1e-5};

constexpr HeadNames kHeads[] = {
    {"albert",
     {.dense = "pooler", .activation = Activation::tanh, .of_model = true},
     "classifier",
     {.dense = "predictions.dense",
      .activation_field = "hidden_act",
      .norm = "predictions.LayerNorm"},
     "predictions.decoder",
     "predictions.bias"},
    {"bert",
     {.dense = "pooler.dense", .activation = Activation::tanh, .of_model = true},
     "classifier",
     {.dense = "cls.predictions.transform.dense",
      .activation_field = "hidden_act",
      .norm = "cls.predictions.transform.LayerNorm"},
     "cls.predictions.decoder",
     "cls.predictions.bias"},
    {"camembert", kRobertaClassifier, "classifier.out_proj", kRobertaMasked, "lm_head.decoder",
     "lm_head.bias"},
    {"distilbert",
     {"pre_classifier", Activation::relu},
     "classifier",
     {.dense = "vocab_transform", .activation_field = "activation", .norm = "vocab_layer_norm"},
     "vocab_projector",
     ""},
    {"electra",
     {"classifier.dense", Activation::gelu_erf},
     "classifier.out_proj",
     {.dense = "generator_predictions.dense", .norm = "generator_predictions.LayerNorm"},
     "generator_lm_head",
     ""},
    {"modernbert", kModernHead, "classifier", kModernHead, "decoder", "", true},
    {"mpnet", kRobertaClassifier, "classifier.out_proj", kRobertaMasked, "lm_head.decoder",
     "lm_head.bias"},
    {"nomic_bert",
     {.dense = "pooler.dense", .activation = Activation::tanh, .of_model = true},
     "classifier",
     {.dense = "cls.predictions.transform.dense",
      .activation_field = "hidden_act",
      .norm = "cls.predictions.transform.layer_norm"},
     "cls.predictions.decoder",
     "cls.predictions.bias"},
    {"roberta", kRobertaClassifier, "classifier.out_proj", kRobertaMasked, "lm_head.decoder",
     "lm_head.bias"},
    {"xlm-roberta", kRobertaClassifier, "classifier.out_proj", kRobertaMasked, "lm_head.decoder",
     "lm_head.bias"},
};

// Adds heads to one model.
class HeadBuilder {
 public:
  HeadBuilder(ModelFiles& files, LoadedModel& model)
      : files_(files),
        model_(model),
        names_(names_of(files, model)),
        beside_(files.tensors.without_prefix()) {}

  Value sequence_classifier(int64_t labels) {
    Value x = pool(model_.graph, model_.hidden, pooling(), "pooling");
    x = transform(x, names_.sequence, model_.dim);
    return linear(model_.graph, x, beside_.take_linear(names_.classifier, labels, model_.dim),
                  names_.classifier);
  }

  Value token_classifier(int64_t labels) {
    Value x = model_.hidden;
    if (names_.pools_by_config) x = transform(x, names_.sequence, model_.dim);
    return linear(model_.graph, x, beside_.take_linear("classifier", labels, model_.dim),
                  "classifier");
  }

  Value masked_lm() {
    const int64_t width = model_.words.shape()[1], words = model_.vocabulary;
    const Value x = transform(model_.hidden, names_.masked, width);
    const std::string decoder = names_.decoder, weight = decoder + ".weight";
    LinearWeights weights{model_.words, {}};
    if (beside_.contains(weight)) weights.weight = beside_.take(weight, {words, width});
    std::string bias = decoder + ".bias";
    if (!beside_.contains(bias) && *names_.decoder_bias != '\0') bias = names_.decoder_bias;
    if (!names_.pools_by_config || files_.config.root().get_bool("decoder_bias", true))
      weights.bias = beside_.take(bias, {words});
    return linear(model_.graph, x, std::move(weights), decoder);
  }

 private:
  static const HeadNames& names_of(const ModelFiles& files, const LoadedModel& model) {
    std::string known;
    for (const HeadNames& heads : kHeads) {
      if (heads.model_type == model.architecture) return heads;
      known += cat(known.empty() ? "" : ", ", heads.model_type);
    }
    fail(ErrorCode::unsupported, files.config.name(),
         ": field \"model_type\": no heads are known of \"", model.architecture, "\", only of ",
         known);
  }

  Pooling pooling() const {
    if (!names_.pools_by_config) return Pooling::cls;
    expect_value(files_.config.root(), "classifier_pooling", {"cls", "mean"});
    return files_.config.root().get_string("classifier_pooling", "cls") == "mean" ? Pooling::mean
                                                                                  : Pooling::cls;
  }

  Bias bias(const Transform& names, const char* field) const {
    return names.has_biases || files_.config.root().get_bool(field, false) ? Bias::present
                                                                           : Bias::absent;
  }

  Value transform(Value x, const Transform& names, int64_t width) {
    const JsonNode config = files_.config.root();
    Tensors& tensors = names.of_model ? files_.tensors : beside_;
    x = linear(model_.graph, x,
               tensors.take_linear(names.dense, width, model_.dim, bias(names, "classifier_bias")),
               names.dense);
    const Activation kind = names.activation_field
                                ? read_activation(config, names.activation_field, "gelu")
                                : names.activation;
    x = activation(model_.graph, x, kind, names.dense);
    if (!names.norm) return x;
    const NormWeights norm = tensors.take_norm(names.norm, width, bias(names, "norm_bias"));
    return layer_norm(model_.graph, x, norm.gamma, norm.beta,
                      read_epsilon(config, names.epsilon_field, names.epsilon), names.norm);
  }

  ModelFiles& files_;
  LoadedModel& model_;
  const HeadNames& names_;
  Tensors beside_;
};

}  // namespace

Value add_sequence_classifier(ModelFiles& files, LoadedModel& model, int64_t labels) {
  return HeadBuilder(files, model).sequence_classifier(labels);
}

Value add_token_classifier(ModelFiles& files, LoadedModel& model, int64_t labels) {
  return HeadBuilder(files, model).token_classifier(labels);
}

Value add_masked_lm(ModelFiles& files, LoadedModel& model) {
  return HeadBuilder(files, model).masked_lm();
}

std::string labels_source(const Json& config) {
  if (find_value(config.root(), "id2label")) return "config.json: id2label";
  return config.root().contains("num_labels") ? "config.json: num_labels"
                                              : "no id2label in config.json";
}

std::vector<std::string> read_labels(const Json& config) {
  const auto listed = find_value(config.root(), "id2label");
  std::vector<std::string> labels;
  if (!listed) {
    const int64_t count = read_size(config.root(), "num_labels", 2);
    if (count > kMostLabels)
      config.root().at("num_labels").refuse(cat("expected at most ", kMostLabels));
    for (int64_t id = 0; id < count; ++id) labels.push_back(cat("LABEL_", id));
    return labels;
  }
  if (listed->size() == 0) listed->refuse("expected at least one label");
  for (size_t id = 0; id < listed->size(); ++id)
    labels.emplace_back(listed->at(std::to_string(id)).as_string());
  return labels;
}

}  // namespace headway
