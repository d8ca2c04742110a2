// Takes a text through tokenizer and engine, with the attention weights as the engine's outputs.
#include "headway/heads.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/embed/text_model.hpp"

namespace headway {
namespace {

std::string output_name(int64_t layer) {
  return cat("attention.", layer);
}

}  // namespace

struct Heads::State {
  Tokenizer tokenizer;
  Engine engine;
  int64_t layers, heads, max_length;
  std::vector<int32_t> special;  // ids that the tokenizer puts around a text
};

Heads Heads::open(const std::filesystem::path& directory, const EmbedderOptions& options) {
  OpenedModel opened = open_text_model(directory, options);
  LoadedModel& model = opened.model;
  for (int64_t layer = 0; layer < model.layers; ++layer)
    model.graph.output(output_name(layer), model.attention[static_cast<size_t>(layer)]);
  Engine engine = compile(opened, options);
  std::vector<int32_t> special = opened.tokenizer.encode("").ids;
  return Heads(std::make_shared<const State>(State{std::move(opened.tokenizer), std::move(engine),
                                                   model.layers, model.heads, opened.limit.tokens,
                                                   std::move(special)}));
}

AttentionMaps Heads::look(std::string_view text, std::optional<int64_t> layer,
                          const RunOptions& options) const {
  const State& state = *state_;
  if (layer && (*layer < 0 || *layer >= state.layers))
    fail(ErrorCode::invalid_argument, "layer: expected 0 to ", state.layers - 1, ", found ",
         *layer);
  EncodeOptions encode_options;
  encode_options.max_length = static_cast<size_t>(state.max_length);
  const Encoding encoding = state.tokenizer.encode(text, encode_options);

  AttentionMaps maps;
  maps.truncated = encoding.truncated;
  maps.first_layer = layer.value_or(0);
  maps.layers = layer ? 1 : state.layers;
  maps.heads = state.heads;
  for (const int32_t id : encoding.ids) {
    // A template of tokenizer.json can name ids that have no token.
    const auto token = state.tokenizer.id_to_token(id);
    maps.tokens.push_back(token ? std::string(*token) : cat("#", id));
    maps.special.push_back(std::find(state.special.begin(), state.special.end(), id) !=
                           state.special.end());
  }

  const auto tokens = static_cast<int64_t>(encoding.ids.size());
  const int64_t one = checked_mul(checked_mul(tokens, tokens, "attention weights"), maps.heads,
                                  "attention weights");
  maps.weights.resize(static_cast<size_t>(checked_mul(one, maps.layers, "attention weights")));
  std::vector<std::string> names;
  for (int64_t i = 0; i < maps.layers; ++i) names.push_back(output_name(maps.first_layer + i));
  std::vector<Output> outputs;
  for (int64_t i = 0; i < maps.layers; ++i)
    outputs.push_back(
        {names[static_cast<size_t>(i)],
         MutableTensorView(maps.weights.data() + i * one, {maps.heads, tokens, tokens})});
  const std::vector<int32_t> type_ids(encoding.ids.size());  // 0: one sentence
  const Batch batch = Batch::dense(1, tokens);
  const Input inputs[] = {{"ids", batch, TensorView(encoding.ids.data(), {tokens, 1})},
                          {"type_ids", batch, TensorView(type_ids.data(), {tokens, 1})}};
  state.engine.run(inputs, outputs, options);
  return maps;
}

}  // namespace headway
