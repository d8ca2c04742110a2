// The modules, as layers of the graph.
#include "engine/embed/modules.hpp"

#include "engine/base/checked.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/embed/pooling_config.hpp"
#include "engine/models/tensors.hpp"

namespace headway {
namespace {

constexpr float kLayerNormEpsilon = 1e-5f;  // torch.nn.LayerNorm's, which no file overrides

// Builds one module.
class ModuleBuilder {
 public:
  ModuleBuilder(Graph& graph, const Module& module, Features& features)
      : graph_(graph), module_(module), features_(features) {}

  void pooling() {
    const PoolingConfig config =
        read_pooling(module_.directory / "config.json", graph_.type(features_.tokens).width);
    PoolOptions options{.kinds = config.kinds};
    if (!config.include_prompt) {
      if (!features_.skip) features_.skip = graph_.input("skip", DType::i32, 1, features_.tokens);
      options.skip = features_.skip;
    }
    features_.sentence = pool(graph_, features_.tokens, options, module_.name);
    features_.sentence_normalized = false;
    features_.pooling = config.names;
    features_.pooling_source = config_of(module_);
  }

  void dense() {
    const Json config = Json::read_file((module_.directory / "config.json").string());
    const JsonNode root = config.root();
    Target target = read_target(config, features_.dense_input);
    const int64_t in = root.at("in_features").as_int64(1, kMostWidth);
    const int64_t out = root.at("out_features").as_int64(1, kMostWidth);
    if (const int64_t width = graph_.type(*target.value).width; in != width)
      root.at("in_features").refuse(cat("expected ", width, ", the width before it, found ", in));
    Tensors tensors = open_tensors();
    LinearWeights weights{tensors.take("linear.weight", {out, in}), {}};
    if (root.get_bool("bias", true)) weights.bias = tensors.take("linear.bias", {out});
    const Value x = *target.value;
    Value y = linear(graph_, x, std::move(weights), module_.name);
    const Activation kind = read_activation(config);
    if (kind != Activation::none) y = activation(graph_, y, kind, module_.name);
    if (root.get_bool("use_residual", false)) {
      Value residual = x;
      if (in != out)
        residual = linear(graph_, x, {tensors.take("residual.weight", {out, in}), {}},
                          module_.name + " residual");
      y = add(graph_, y, residual, module_.name);
    }
    features_.taken.add(tensors.taken());
    *target.value = y;
    *target.normalized = false;
  }

  void layer_norm() {
    const Json config = Json::read_file((module_.directory / "config.json").string());
    const JsonNode field = config.root().at("dimension");
    const int64_t width = graph_.type(sentence()).width;
    if (field.as_int64() != width)
      field.refuse(cat("expected ", width, ", the width before it, found ", field.as_int64()));
    Tensors tensors = open_tensors();
    features_.sentence =
        headway::layer_norm(graph_, sentence(), tensors.take("norm.weight", {width}),
                            tensors.take("norm.bias", {width}), kLayerNormEpsilon, module_.name);
    features_.taken.add(tensors.taken());
    features_.sentence_normalized = false;
  }

  void normalize() {
    Target target{nullptr, nullptr};
    if (const auto config = read_optional_json(module_.directory / "config.json"))
      target = read_target(*config, kSentence);
    else
      target = {&sentence(), &features_.sentence_normalized};
    *target.value = l2_normalize(graph_, *target.value, module_.name);
    *target.normalized = true;
    features_.normalize_source = cat("modules.json: ", module_.name);
  }

  void dropout() { sentence(); }  // for training only

 private:
  static constexpr int64_t kMostWidth = 1 << 20;
  static constexpr const char* kSentence = "sentence_embedding";

  // Where a module reads and writes.
  struct Target {
    Value* value;
    bool* normalized;
  };

  Value& sentence() {
    if (!features_.sentence)
      fail(ErrorCode::format, "modules.json: module \"", module_.kind, "\" (\"", module_.name,
           "\") needs a Pooling before it");
    return *features_.sentence;
  }

  Target read_target(const Json& config, std::string_view otherwise) {
    const std::string_view in = config.root().get_string("module_input_name", otherwise);
    const std::string_view out = config.root().get_string("module_output_name", in);
    const bool tokens = in == "token_embeddings";
    if (!tokens && in != kSentence) refuse(config, "module_input_name", in);
    if (out != in) refuse(config, "module_output_name", out);
    if (tokens) return {&features_.tokens, &features_.tokens_normalized};
    return {&sentence(), &features_.sentence_normalized};
  }

  [[noreturn]] static void refuse(const Json& config, const char* field, std::string_view value) {
    fail(ErrorCode::unsupported, config.name(), ": field \"", field, "\": \"", value,
         "\" is not supported; known: sentence_embedding, token_embeddings, the same for both");
  }

  // A class of torch.nn; Tanh where nothing is said.
  static Activation read_activation(const Json& config) {
    const std::string_view name =
        config.root().get_string("activation_function", "torch.nn.modules.activation.Tanh");
    if (name.starts_with("torch.")) {
      const std::string_view last = name.substr(name.rfind('.') + 1);
      if (last == "Tanh") return Activation::tanh;
      if (last == "Identity") return Activation::none;
      if (last == "ReLU") return Activation::relu;
      if (last == "GELU") return Activation::gelu_erf;
      if (last == "SiLU") return Activation::silu;
    }
    fail(ErrorCode::unsupported, config.name(), ": field \"activation_function\": \"", name,
         "\" is not supported; known: Tanh, Identity, ReLU, GELU and SiLU of torch.nn");
  }

  Tensors open_tensors() const { return Tensors(Shards::open(module_.directory)); }

  Graph& graph_;
  const Module& module_;
  Features& features_;
};

}  // namespace

const char* const kModuleNames = "Pooling, Dense, LayerNorm, Normalize, Dropout";

void add_module(Graph& graph, const Module& module, Features& features) {
  ModuleBuilder builder(graph, module, features);
  if (module.kind == "Pooling") return builder.pooling();
  if (module.kind == "Dense") return builder.dense();
  if (module.kind == "LayerNorm") return builder.layer_norm();
  if (module.kind == "Normalize") return builder.normalize();
  if (module.kind == "Dropout") return builder.dropout();
  refuse_module(module, kModuleNames);
}

}  // namespace headway
