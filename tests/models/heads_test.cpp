// Every head of every architecture, against transformers (scripts/make_golden_heads.py), and what
// is refused.
#include "engine/models/heads.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "headway/engine.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

// The logits of `ids` by the head that `name` ends in.
std::vector<float> logits_of(const std::filesystem::path& directory, const std::string& name,
                             const std::vector<int32_t>& ids) {
  ModelFiles files = open_model_files(directory);
  LoadedModel model = load_model(files);
  const auto labels = static_cast<int64_t>(read_labels(files.config).size());
  const Value logits = name.ends_with("-masked")  ? add_masked_lm(files, model)
                       : name.ends_with("-token") ? add_token_classifier(files, model, labels)
                                                  : add_sequence_classifier(files, model, labels);
  model.graph.output("logits", logits);
  const Engine engine = compile(model.graph);
  const auto tokens = static_cast<int64_t>(ids.size());
  const Batch batch = Batch::dense(1, tokens);
  const std::vector<int32_t> types(ids.size());
  const Input inputs[] = {{"ids", batch, TensorView(ids.data(), {tokens, 1})},
                          {"type_ids", batch, TensorView(types.data(), {tokens, 1})}};
  std::vector<float> values(static_cast<size_t>(engine.output_elements("logits", inputs)));
  const Output output{"logits", {values.data(), {static_cast<int64_t>(values.size())}}};
  engine.run(inputs, std::span(&output, 1));
  return values;
}

TEST(GoldenHeads, LogitsAreThoseOfTheReference) {
  size_t heads = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_path("heads"))) {
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const Json expected = Json::parse(read_golden("heads/" + name + "/expected.json"), name);
    std::vector<int32_t> ids;
    for (const JsonNode id : expected.root().at("ids").elements())
      ids.push_back(static_cast<int32_t>(id.as_int64()));
    const std::vector<float> got = logits_of(entry.path(), name, ids);
    std::vector<double> wanted;
    for (const JsonNode row : expected.root().at("logits").elements())
      for (const JsonNode value : row.elements()) wanted.push_back(value.as_double());
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], wanted[i], 1e-5 * (1 + std::abs(wanted[i]))) << "logit " << i;
    ++heads;
  }
  EXPECT_EQ(heads, 33u);
}

// A copy of a golden directory, without the tensor `gone`, or with another config.
void expect_refused(ErrorCode code, const std::string& text, const std::string& name,
                    const std::string& from, const std::string& to) {
  const TempDir dir;
  std::filesystem::copy(golden_path("heads/" + name), dir.path(),
                        std::filesystem::copy_options::recursive);
  for (const char* file : {"config.json", "model.safetensors"}) {
    std::string content = dir.read(file);
    if (const size_t at = content.find(from); at != std::string::npos)
      content.replace(at, from.size(), to);
    dir.write(file, content);
  }
  expect_error(code, text, [&] { logits_of(dir.path(), name, {2, 3}); });
}

TEST(HeadRefusal, NamesWhatIsMissingOrOfAnotherShape) {
  // Names of one length keep the file's header as long as it was.
  expect_refused(ErrorCode::not_found, "pooler.dense.weight", "bert-sequence",
                 "pooler.dense.weight", "Pooler.dense.weight");
  expect_refused(ErrorCode::not_found, "\"classifier.weight\"", "bert-token",
                 "\"classifier.weight\"", "\"Classifier.weight\"");
  expect_refused(ErrorCode::not_found, "lm_head.bias", "roberta-masked", "\"lm_head.bias\"",
                 "\"Lm_head.bias\"");
  expect_refused(ErrorCode::format, "\"classifier.weight\": expected [2, 8], found [3, 8]",
                 "bert-sequence", "\"id2label\"", "\"x2label\"");
  expect_refused(ErrorCode::unsupported, "\"classifier_pooling\"", "modernbert-sequence",
                 "\"classifier_pooling\": \"mean\"", "\"classifier_pooling\": \"max\"");
}

TEST(Labels, AreThoseOfTheFile) {
  const auto labels = [](const std::string& text) {
    return read_labels(Json::parse(text, "config.json"));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(labels(R"({"id2label": {"1": "no", "0": "yes"}})"), (Names{"yes", "no"}));
  EXPECT_EQ(labels(R"({"num_labels": 1})"), Names{"LABEL_0"});
  EXPECT_EQ(labels(R"({"id2label": null})"), (Names{"LABEL_0", "LABEL_1"}));
  for (const char* bad :
       {R"({"id2label": {"1": "a"}})", R"({"id2label": {"0": "a", "2": "b"}})",
        R"({"id2label": {"0": 3}})", R"({"id2label": {}})", R"({"id2label": ["a"]})"})
    expect_error(ErrorCode::format, "config.json: field \"id2label", [&] { labels(bad); });
  expect_error(ErrorCode::format, "num_labels", [&] { labels(R"({"num_labels": 1000000000})"); });
}

}  // namespace
}  // namespace headway
