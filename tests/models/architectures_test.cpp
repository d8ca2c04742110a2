// Small models of every architecture, against what the reference library makes of them
// (scripts/make_golden_models.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/formats/safetensors.hpp"
#include "engine/models/model.hpp"
#include "engine/ops/precision.hpp"
#include "headway/engine.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

const char* const kModels[] = {"albert",         "bert",          "camembert",  "distilbert",
                               "electra",        "electra-equal", "jina_bert",  "modernbert",
                               "modernbert-old", "mpnet",         "nomic_bert", "nomic_bert-hub",
                               "roberta",        "xlm-roberta"};

template <typename Number>
std::vector<Number> read(const SafetensorsFile& file, const char* name) {
  const SafetensorsEntry* entry = file.find(name);
  if (entry == nullptr) throw std::runtime_error(file.path() + " has no " + name);
  std::vector<Number> values(entry->bytes.size() / sizeof(Number));
  std::memcpy(values.data(), entry->bytes.data(), entry->bytes.size());
  return values;
}

struct Expected {
  explicit Expected(const std::string& model)
      : file(SafetensorsFile::open(golden_path("models/" + model + "/expected.safetensors"))) {
    const std::vector<int32_t> lengths = read<int32_t>(file, "lengths");
    batch = Batch::ragged(std::vector<int64_t>(lengths.begin(), lengths.end()));
  }

  SafetensorsFile file;
  Batch batch;
  std::vector<int32_t> ids = read<int32_t>(file, "ids");
  std::vector<int32_t> type_ids = read<int32_t>(file, "type_ids");
  std::vector<float> hidden = read<float>(file, "hidden");
  std::vector<float> attention = read<float>(file, "attention");
};

class Architectures : public testing::TestWithParam<const char*> {
 protected:
  std::vector<float> run(const LoadedModel& model, const CompileOptions& options = {}) const {
    std::vector<float> hidden(expected.hidden.size());
    const int64_t rows = expected.batch.rows();
    Limits limits;
    limits.threads = 2;
    compile(model.graph, limits, options)
        .run({{"ids", expected.batch, TensorView(expected.ids.data(), {rows, 1})},
              {"type_ids", expected.batch, TensorView(expected.type_ids.data(), {rows, 1})}},
             {{"hidden", MutableTensorView(hidden.data(), {rows, model.dim})}});
    return hidden;
  }

  const Expected expected{GetParam()};
  LoadedModel model = load_model(golden_path(std::string("models/") + GetParam()));
};

TEST_P(Architectures, HiddenStatesAreThoseOfTheReference) {
  const std::vector<float> hidden = run(model);
  // Values are around 1, and the reference computes in float64.
  for (size_t i = 0; i < hidden.size(); ++i)
    ASSERT_NEAR(hidden[i], expected.hidden[i], 1e-5) << "element " << i;
}

// bf16 rounds to 8 bits, int8 to about as many: far from the reference's digits, but a layer that
// were left out or computed twice would be off by more.
TEST_P(Architectures, HiddenStatesAreNearInEveryPrecision) {
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    if (!is_fast(precision)) continue;  // an engine refuses it
    SCOPED_TRACE(to_string(precision));
    const std::vector<float> hidden = run(model, {.precision = precision});
    double error = 0, size = 0;
    for (size_t i = 0; i < hidden.size(); ++i) {
      error += std::pow(hidden[i] - expected.hidden[i], 2);
      size += std::pow(expected.hidden[i], 2);
    }
    EXPECT_LT(std::sqrt(error / size), 0.05);
  }
}

TEST_P(Architectures, AttentionIsThatOfTheReference) {
  constexpr int64_t kSequence = 2;
  const int64_t tokens = expected.batch.length(kSequence);
  const int64_t first = expected.batch.offsets()[kSequence];
  const auto size = static_cast<size_t>(model.heads * tokens * tokens);
  ASSERT_EQ(expected.attention.size(), model.attention.size() * size);
  ASSERT_EQ(model.layers, static_cast<int64_t>(model.attention.size()));
  for (size_t layer = 0; layer < model.attention.size(); ++layer)
    model.graph.output("attention." + std::to_string(layer), model.attention[layer]);
  const Engine engine = compile(model.graph);
  const Batch batch = Batch::dense(1, tokens);
  for (size_t layer = 0; layer < model.attention.size(); ++layer) {
    std::vector<float> weights(size);
    engine.run({{"ids", batch, TensorView(expected.ids.data() + first, {tokens, 1})},
                {"type_ids", batch, TensorView(expected.type_ids.data() + first, {tokens, 1})}},
               {{"attention." + std::to_string(layer),
                 MutableTensorView(weights.data(), {static_cast<int64_t>(size)})}});
    for (size_t i = 0; i < size; ++i)
      ASSERT_NEAR(weights[i], expected.attention[layer * size + i], 1e-5)
          << "layer " << layer << ", element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Architectures, testing::ValuesIn(kModels), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace headway
