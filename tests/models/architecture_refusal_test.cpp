// What each architecture refuses of its config.json, and what it says; refusal_test.cpp has what
// they share.
#include <gtest/gtest.h>

#include "engine/models/model.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

// A model of tests/golden/models with another value of a field, or without it; `more` is put before
// the other fields.
LoadedModel load_changed(const std::string& model, const std::string& field,
                         const std::string& value, const std::string& more = "") {
  const TempDir dir;
  const std::string from = golden_path("models/" + model);
  std::filesystem::copy(from, dir.path(), std::filesystem::copy_options::recursive);
  std::string config = read_golden("models/" + model + "/config.json");
  const std::string key = cat("\"", field, "\":");
  if (const size_t at = config.find(key); at != std::string::npos) config.insert(at + 1, "former ");
  if (!value.empty()) config.insert(config.find('{') + 1, cat(key, " ", value, ","));
  config.insert(config.find('{') + 1, more);
  dir.write("config.json", config);
  return load_model(dir.path());
}

struct Case {
  const char *model, *field, *value;
  ErrorCode code;
  const char* text;
};

constexpr ErrorCode kFormat = ErrorCode::format, kUnsupported = ErrorCode::unsupported;
const Case kCases[] = {
    {"albert", "num_hidden_groups", "0", kFormat, "expected an integer from 1"},
    {"albert", "num_hidden_groups", "3", ErrorCode::not_found, "albert_layer_groups.2"},
    {"albert", "inner_group_num", "4096", kFormat, "at most 4096 layers in all"},
    {"albert", "embedding_size", "11", kFormat, "expected [50, 11], found [50, 10]"},
    {"distilbert", "activation", "\"mish\"", kUnsupported, "known: gelu,"},
    {"electra", "is_decoder", "true", kUnsupported, "known: false"},
    {"electra", "embedding_size", "\"10\"", kFormat, "expected an integer"},
    {"jina_bert", "feed_forward_type", "\"original\"", kUnsupported, "known: geglu, reglu"},
    {"jina_bert", "is_decoder", "true", kUnsupported, "known: false"},
    {"modernbert", "layer_types", "[\"full_attention\"]", kFormat, "expected 3 layers, found 1"},
    {"modernbert", "layer_types", "[\"full_attention\", \"chunked_attention\"]", kUnsupported,
     "known: full_attention, sliding_attention"},
    {"modernbert", "rope_parameters", R"({"full_attention": {"rope_type": "yarn"}})", kUnsupported,
     "known: default"},
    {"modernbert", "rope_parameters", R"({"full_attention": {"rope_theta": -1}})", kFormat,
     "expected a number above 0"},
    {"modernbert", "rope_scaling", R"({"factor": 2})", kUnsupported, "known: null"},
    {"modernbert", "num_attention_heads", "8", kFormat, "heads of 3 numbers"},
    {"modernbert", "norm_bias", "true", ErrorCode::not_found, "embeddings.norm.bias"},
    {"mpnet", "relative_attention_num_buckets", "16", kUnsupported, "known: 32"},
    {"mpnet", "max_position_embeddings", "2", kFormat, "expected at least 3"},
    {"nomic_bert", "head_dim", "16", kUnsupported, "known: 8"},
    {"nomic_bert", "rope_parameters", R"({"rope_type": "yarn"})", kUnsupported, "known: default"},
    {"nomic_bert-hub", "prenorm", "true", kUnsupported, "known: false"},
    {"nomic_bert-hub", "causal", "true", kUnsupported, "known: false"},
    {"nomic_bert-hub", "num_experts", "8", kUnsupported, "known: 0"},
    {"nomic_bert-hub", "rotary_emb_scale_base", "512", kUnsupported, "known: null"},
    {"nomic_bert-hub", "rotary_emb_fraction", "0.5", kUnsupported, "known: 1"},
    {"nomic_bert-hub", "rotary_emb_fraction", "", kFormat, "missing"},
    {"nomic_bert-hub", "activation_function", "\"glu\"", kUnsupported, "known: swiglu, geglu"},
    {"nomic_bert-hub", "n_head", "8", kFormat, "heads of 3 numbers"},
    {"roberta", "pad_token_id", "149", kFormat, "expected an integer from 0 to 148"},
    {"roberta", "position_embedding_type", "\"relative_key\"", kUnsupported, "known: absolute"},
    {"xlm-roberta", "is_decoder", "true", kUnsupported, "known: false"},
};

TEST(ArchitectureRefusal, NamesTheFieldAndWhatIsKnown) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.model << ", " << c.field << ": " << c.value);
    expect_error(c.code, c.text, [&] { load_changed(c.model, c.field, c.value); });
    if (c.code == kUnsupported)
      expect_error(c.code, c.field, [&] { load_changed(c.model, c.field, c.value); });
  }
}

TEST(ArchitectureRefusal, LoadsWhatIsOnlyWrittenOtherwise) {
  EXPECT_EQ(load_changed("modernbert", "rope_scaling", "null").layers, 3);
  EXPECT_EQ(load_changed("roberta", "pad_token_id", "").positions, 148);  // 1 unless said otherwise
  EXPECT_EQ(load_changed("nomic_bert-hub", "num_experts", "0").layers, 2);
}

// Padding has the first positions of RoBERTa and MPNet. Nomic's scaling begins where training
// ended.
TEST(ArchitectureRefusal, KnowsTheLongestSequence) {
  for (const auto& [name, positions] : {std::pair("bert", 150),
                                        {"roberta", 148},
                                        {"mpnet", 148},
                                        {"albert", 150},
                                        {"modernbert", 150},
                                        {"jina_bert", 150}})
    EXPECT_EQ(load_model(golden_path(std::string("models/") + name)).positions, positions) << name;
  const auto nomic_positions = [](const char* scaling, const char* more) {
    return load_changed("nomic_bert-hub", "rotary_scaling_factor", scaling, more).positions;
  };
  constexpr char kTrained[] = "\"max_trained_positions\": 100,";
  EXPECT_EQ(nomic_positions("null", kTrained), 150);
  EXPECT_EQ(nomic_positions("2", ""), 150);  // 2048 unless said otherwise
  EXPECT_EQ(nomic_positions("2", kTrained), 100);
  EXPECT_EQ(nomic_positions("", kTrained), 100);
}

TEST(ArchitectureRefusal, QueriesAndKeysThatAreNormalized) {
  TinyModel tiny;
  tiny.config["position_embedding_type"] = "\"alibi\"";
  tiny.tensors["encoder.layer.0.attention.self.layer_norm_q.weight"] = {{8}, std::vector<float>(8)};
  const TempDir dir;
  tiny.write(dir);
  expect_error(ErrorCode::unsupported,
               "model.safetensors: tensor \"encoder.layer.0.attention.self."
               "layer_norm_q.weight\"",
               [&] { load_model(dir.path()); });
}

}  // namespace
}  // namespace headway
