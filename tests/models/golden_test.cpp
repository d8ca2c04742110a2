// The hidden states of the real model, against transformers.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/models/model.hpp"
#include "headway/engine.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

TEST(GoldenModel, HiddenStatesAreThoseOfTheReference) {
  ModelFiles files = open_model_files(real_model_directory());
  const LoadedModel model = load_model(files);
  const Engine engine = compile(model.graph);
  const std::vector<Json> all_ids = read_golden_lines("minilm/ids.jsonl");
  for (const int text : {5, 14, 83}) {
    SCOPED_TRACE(text);
    std::vector<int32_t> ids;
    for (const JsonNode id : all_ids[static_cast<size_t>(text)].root().elements())
      ids.push_back(static_cast<int32_t>(id.as_int64()));
    const std::vector<int32_t> types(ids.size());
    const auto expected = read_golden_floats("minilm/hidden_" + std::to_string(text) + ".npy");
    const auto tokens = static_cast<int64_t>(ids.size());
    ASSERT_EQ(expected.size(), ids.size() * 384);
    std::vector<float> hidden(expected.size());
    const Batch batch = Batch::dense(1, tokens);
    engine.run({{"ids", batch, TensorView(ids.data(), {tokens, 1})},
                {"type_ids", batch, TensorView(types.data(), {tokens, 1})}},
               {{"hidden", MutableTensorView(hidden.data(), {tokens, 384})}});
    // Values are around 1. Two float32 implementations of six layers differ by 1e-6 or so.
    for (size_t i = 0; i < hidden.size(); ++i)
      ASSERT_NEAR(hidden[i], expected[i], 1e-5) << "element " << i;
  }
}

TEST(GoldenModel, FactsAreThoseOfTheModelCard) {
  ModelFiles files = open_model_files(real_model_directory());
  const LoadedModel model = load_model(files);
  EXPECT_EQ(model.layers, 6);
  EXPECT_EQ(model.dim, 384);
  EXPECT_EQ(model.heads, 12);
  EXPECT_EQ(model.vocabulary, 30522);
  EXPECT_EQ(model.positions, 512);
  // 22.7 million, as the card says, less the pooler's 384 * 385.
  EXPECT_EQ(files.tensors.taken().elements, 22713216 - 384 * 385);
}

}  // namespace
}  // namespace headway
