// BERT from a directory, against the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/models/model.hpp"
#include "headway/engine.hpp"
#include "tests/models/bert_reference.hpp"
#include "tests/models/tiny_model.hpp"

namespace headway {
namespace {

const std::vector<int32_t> kIds = {2, 5, 9, 29, 7, 3, 11, 3};
const std::vector<int32_t> kTypes = {0, 0, 0, 0, 0, 0, 1, 1};

// The last hidden state of one sequence.
std::vector<float> run(const LoadedModel& model, const std::vector<int32_t>& ids,
                       const std::vector<int32_t>& type_ids) {
  const Engine engine = compile(model.graph);
  const auto tokens = static_cast<int64_t>(ids.size());
  const Batch batch = Batch::dense(1, tokens);
  std::vector<float> hidden(ids.size() * static_cast<size_t>(model.dim));
  engine.run({{"ids", batch, TensorView(ids.data(), {tokens, 1})},
              {"type_ids", batch, TensorView(type_ids.data(), {tokens, 1})}},
             {{"hidden", MutableTensorView(hidden.data(), {tokens, model.dim})}});
  return hidden;
}

std::vector<float> run(const TinyModel& tiny) {
  const TempDir dir;
  tiny.write(dir);
  return run(load_model(dir.path()), kIds, kTypes);
}

// A layer norm leaves values around 1, and three roundings a step stay far below this; a wrong
// formula is off by 1e-3 and more.
void expect_close(const std::vector<float>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 2e-5) << "element " << i;
}

TEST(Bert, IsWhatThePaperSays) {
  for (const int64_t layers : {1, 3}) {
    SCOPED_TRACE(layers);
    const TinyModel tiny(layers);
    const reference::BertResult expected =
        reference::bert(tiny, static_cast<size_t>(layers), kIds, kTypes, reference::gelu_erf);
    expect_close(run(tiny), expected.hidden);
  }
}

TEST(Bert, KnowsTheActivations) {
  const auto relu = [](double x) { return x > 0 ? x : 0.0; };
  const auto tanh = [](double x) { return std::tanh(x); };
  const std::vector<std::pair<std::string, std::function<double(double)>>> kinds = {
      {"gelu", reference::gelu_erf},
      {"gelu_new", reference::gelu_tanh},
      {"gelu_pytorch_tanh", reference::gelu_tanh},
      {"relu", relu},
      {"tanh", tanh}};
  for (const auto& [name, function] : kinds) {
    SCOPED_TRACE(name);
    TinyModel tiny;
    tiny.config["hidden_act"] = "\"" + name + "\"";
    expect_close(run(tiny), reference::bert(tiny, 1, kIds, kTypes, function).hidden);
  }
}

TEST(Bert, ReadsTheEpsilon) {
  TinyModel tiny;
  tiny.config["layer_norm_eps"] = "0.25";
  expect_close(run(tiny), reference::bert(tiny, 1, kIds, kTypes, reference::gelu_erf, 0.25).hidden);
}

TEST(Bert, TakesNamesWithThePrefixAndWithGammaAndBeta) {
  const std::vector<float> plain = run(TinyModel());
  TinyModel prefixed;
  prefixed.rename_tensors("embeddings.", "bert.embeddings.");
  prefixed.rename_tensors("encoder.", "bert.encoder.");
  EXPECT_EQ(run(prefixed), plain);
  TinyModel old;
  old.rename_tensors("LayerNorm.weight", "LayerNorm.gamma");
  old.rename_tensors("LayerNorm.bias", "LayerNorm.beta");
  EXPECT_EQ(run(old), plain);
}

TEST(Bert, LeavesOutWhatIsNotNeeded) {
  const std::vector<float> plain = run(TinyModel());
  TinyModel more;
  more.tensors["pooler.dense.weight"] = {{8, 8}, std::vector<float>(64, 1)};
  more.config["position_embedding_type"] = "\"absolute\"";
  more.config["is_decoder"] = "false";
  more.config["some_field_of_tomorrow"] = "[1, {}]";
  more.config.erase("type_vocab_size");  // 2 unless said otherwise
  EXPECT_EQ(run(more), plain);
}

TEST(Bert, StatesItsFacts) {
  const TempDir dir;
  TinyModel tiny(2);
  int64_t elements = 0;
  for (const auto& [name, tensor] : tiny.tensors)
    elements += static_cast<int64_t>(tensor.values.size());
  tiny.tensors["pooler.dense.bias"] = {{8}, std::vector<float>(8)};
  tiny.write(dir);
  ModelFiles files = open_model_files(dir.path());
  const LoadedModel model = load_model(files);
  EXPECT_EQ(model.architecture, "bert");
  EXPECT_EQ(files.tensors.taken().elements, elements);
  EXPECT_EQ(files.tensors.taken().types, std::set{DType::f32});
  EXPECT_EQ(model.layers, 2);
  EXPECT_EQ(model.dim, 8);
  EXPECT_EQ(model.heads, 2);
  EXPECT_EQ(model.vocabulary, 30);
  EXPECT_EQ(model.positions, 32);
  EXPECT_THAT(known_model_types(), testing::Contains("bert"));
}

}  // namespace
}  // namespace headway
