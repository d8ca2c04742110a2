// Model directories that are damaged, or not supported: what the message says.
#include <gtest/gtest.h>

#include <functional>

#include "engine/models/model.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

// Loads the tiny model after `damage`; expects Error(code) whose message has every text.
void expect_refused(ErrorCode code, const std::vector<std::string>& texts,
                    const std::function<void(TinyModel&)>& damage) {
  const TempDir dir;
  TinyModel tiny;
  damage(tiny);
  tiny.write(dir);
  for (const std::string& text : texts) expect_error(code, text, [&] { load_model(dir.path()); });
}

void expect_config_refused(ErrorCode code, const std::string& field, const std::string& value,
                           const std::vector<std::string>& texts) {
  SCOPED_TRACE(field + ": " + value);
  std::vector<std::string> all = {"config.json"};
  all.insert(all.end(), texts.begin(), texts.end());
  expect_refused(code, all, [&](TinyModel& tiny) {
    if (value.empty())
      tiny.config.erase(field);
    else
      tiny.config[field] = value;
  });
}

TEST(ModelRefusal, LoadsUndamaged) {
  const TempDir dir;
  TinyModel().write(dir);
  EXPECT_EQ(load_model(dir.path()).dim, 8);
}

TEST(ModelRefusal, DirectoriesThatAreNone) {
  const TempDir dir;
  const std::string missing = dir.path("nothing");
  expect_error(ErrorCode::not_found, missing, [&] { load_model(missing); });
  const std::string file = dir.write("file", "x");
  expect_error(ErrorCode::invalid_argument, "expected a model directory",
               [&] { load_model(file); });
  expect_error(ErrorCode::not_found, "no config.json in it", [&] { load_model(dir.path()); });
  dir.write("config.json", "{}");
  expect_error(ErrorCode::not_found, "no model.safetensors in it", [&] { load_model(dir.path()); });
}

TEST(ModelRefusal, ConfigThatIsNoObject) {
  const TempDir dir;
  TinyModel().write(dir);
  for (const char* text : {"[]", "3", "{\"model_type\": \"bert\"", "{\"hidden_size\": NaN}", ""}) {
    dir.write("config.json", text);
    expect_error(ErrorCode::format, "config.json", [&] { load_model(dir.path()); });
  }
  std::string deep(100000, '[');
  dir.write("config.json", deep);
  expect_error(ErrorCode::format, "config.json", [&] { load_model(dir.path()); });
}

TEST(ModelRefusal, ModelTypes) {
  expect_config_refused(ErrorCode::unsupported, "model_type", "\"gpt2\"",
                        {"\"model_type\"", "gpt2", "known: albert, bert, camembert"});
  expect_config_refused(ErrorCode::format, "model_type", "", {"\"model_type\" is missing"});
  expect_config_refused(ErrorCode::format, "model_type", "7", {"\"model_type\"", "a string"});
}

TEST(ModelRefusal, SizesThatAreNone) {
  for (const char* field : {"hidden_size", "num_attention_heads", "num_hidden_layers",
                            "intermediate_size", "vocab_size"}) {
    expect_config_refused(ErrorCode::format, field, "", {field, "missing"});
    for (const char* value : {"0", "-8", "8.5", "\"8\"", "null", "[8]", "true", "NaN", "Infinity",
                              "9223372036854775807", "1000000000000000019884624838656"})
      expect_config_refused(ErrorCode::format, field, value, {});
  }
  for (const char* field : {"max_position_embeddings", "type_vocab_size"})
    for (const char* value : {"0", "-1", "\"2\"", "NaN"})
      expect_config_refused(ErrorCode::format, field, value, {});
  for (const char* value : {"0", "-1e-12", "1", "\"1e-12\"", "NaN"})
    expect_config_refused(ErrorCode::format, "layer_norm_eps", value, {});
}

TEST(ModelRefusal, HeadsThatDoNotDivideTheWidth) {
  expect_config_refused(ErrorCode::format, "num_attention_heads", "3",
                        {"\"hidden_size\": 8 is not", "\"num_attention_heads\" (3)"});
}

TEST(ModelRefusal, OtherMathematics) {
  expect_config_refused(ErrorCode::unsupported, "hidden_act", "\"mish\"",
                        {"\"hidden_act\"", "mish", "known: gelu,"});
  expect_config_refused(ErrorCode::unsupported, "position_embedding_type", "\"relative_key\"",
                        {"\"position_embedding_type\"", "relative_key"});
  expect_config_refused(ErrorCode::unsupported, "is_decoder", "true", {"\"is_decoder\""});
  expect_config_refused(ErrorCode::unsupported, "add_cross_attention", "true",
                        {"\"add_cross_attention\""});
}

TEST(ModelRefusal, SizesThatAreNotTheTensors) {
  struct Case {
    const char *field, *value, *tensor, *expected, *found;
  };
  for (const Case& c : {Case{"hidden_size", "16", "word_embeddings", "[30, 16]", "[30, 8]"},
                        Case{"vocab_size", "31", "word_embeddings", "[31, 8]", "[30, 8]"},
                        Case{"type_vocab_size", "3", "token_type", "[3, 8]", "[2, 8]"},
                        Case{"max_position_embeddings", "64", "position", "[64, 8]", "[32, 8]"},
                        Case{"intermediate_size", "17", "intermediate", "[17, 8]", "[16, 8]"}}) {
    SCOPED_TRACE(c.field);
    expect_refused(ErrorCode::format, {"model.safetensors", c.tensor, c.expected, c.found},
                   [&](TinyModel& tiny) { tiny.config[c.field] = c.value; });
  }
}

TEST(ModelRefusal, TensorsOfTheWrongShapeOrMissing) {
  const TinyModel whole;
  for (const auto& [name, tensor] : whole.tensors) {
    SCOPED_TRACE(name);
    expect_refused(ErrorCode::not_found, {"model.safetensors", name},
                   [&](TinyModel& tiny) { tiny.tensors.erase(name); });
    expect_refused(ErrorCode::format, {"model.safetensors", name, "expected [", "found [7]"},
                   [&](TinyModel& tiny) {
                     tiny.tensors[name] = {{7}, std::vector<float>(7)};
                   });
    if (tensor.shape.size() < 2) continue;
    expect_refused(ErrorCode::format, {"model.safetensors", name}, [&](TinyModel& tiny) {
      tiny.tensors[name].shape = {tensor.shape[0] * tensor.shape[1]};
    });
  }
}

TEST(ModelRefusal, MoreLayersThanTheFileHas) {
  expect_refused(ErrorCode::not_found, {"encoder.layer.1.attention.self.query.weight"},
                 [](TinyModel& tiny) { tiny.config["num_hidden_layers"] = "2"; });
}

TEST(ModelRefusal, WeightsThatAreNoFloats) {
  const TempDir dir;
  const TinyModel tiny;
  tiny.write(dir);
  std::string file = tiny.safetensors();
  const size_t at = file.find("\"F32\"");
  file.replace(at, 5, "\"I32\"");
  dir.write("model.safetensors", file);
  expect_error(ErrorCode::unsupported, "i32", [&] { load_model(dir.path()); });
}

TEST(ModelRefusal, TruncatedWeights) {
  const TempDir dir;
  const TinyModel tiny;
  tiny.write(dir);
  const std::string file = tiny.safetensors();
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, file.size() - 1}) {
    dir.write("model.safetensors", file.substr(0, size));
    expect_error(ErrorCode::format, "model.safetensors", [&] { load_model(dir.path()); });
  }
}

}  // namespace
}  // namespace headway
