// Reading JSON: values, paths in messages, and everything that is refused.
#include "engine/formats/json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

Json parse(std::string_view text) {
  return Json::parse(text, "config.json");
}

void expect_refused(std::string_view text, const std::string& message) {
  SCOPED_TRACE(std::string(text.substr(0, 80)));
  expect_error(ErrorCode::format, message, [&] { parse(text); });
}

constexpr std::string_view kConfig = R"({
  "hidden_size": 384, "layer_norm_eps": 1e-12, "model_type": "b\u00e9rt\n", "use_cache": true,
  "pad": null, "heads": [12, -7, 1.5, "x", {"deep": [[1], [2, 3]]}],
  "model_max_length": 1000000000000000019884624838656, "empty": {}, "none": []
})";

TEST(Json, ReadsEveryKind) {
  const Json json = parse(kConfig);
  const JsonNode root = json.root();
  EXPECT_EQ(root.kind(), JsonKind::object);
  EXPECT_EQ(root.size(), 9u);
  EXPECT_EQ(root.at("hidden_size").as_int64(), 384);
  EXPECT_EQ(root.at("hidden_size").as_double(), 384.0);
  EXPECT_EQ(root.at("layer_norm_eps").as_double(), 1e-12);
  EXPECT_EQ(root.at("model_type").as_string(), "b\u00e9rt\n");
  EXPECT_TRUE(root.at("use_cache").as_bool());
  EXPECT_TRUE(root.at("pad").is_null());
  const JsonNode heads = root.at("heads");
  EXPECT_EQ(heads.size(), 5u);
  EXPECT_EQ(heads[0].as_int64(), 12);
  EXPECT_EQ(heads[1].as_int64(), -7);
  EXPECT_EQ(heads[2].as_double(), 1.5);
  EXPECT_EQ(heads[3].as_string(), "x");
  EXPECT_EQ(heads[4].at("deep")[1][1].as_int64(), 3);
  EXPECT_EQ(root.at("empty").size(), 0u);
  EXPECT_EQ(root.at("none").size(), 0u);
  EXPECT_FALSE(root.at("empty").find("x"));
}

TEST(Json, IteratesInFileOrder) {
  const Json json = parse(R"({"z": 1, "a": 2, "m": [5, 4, 6]})");
  std::string keys;
  for (JsonNode member : json.root().members()) keys += member.key();
  EXPECT_EQ(keys, "zam");
  std::vector<int64_t> values;
  for (JsonNode element : json.root().at("m").elements()) {
    values.push_back(element.as_int64());
    EXPECT_EQ(element.key(), "");
  }
  EXPECT_EQ(values, (std::vector<int64_t>{5, 4, 6}));
}

TEST(Json, FindsKeysWithEqualBeginningsAndOddBytes) {
  const Json json = parse(
      R"({"intermediate_size": 1, "intermediate_act": 2, "intermed": 3, "": 4, "a": 5, "a\u0000": 6,)"
      R"( "a\u0000b": 7, "\u00e9": 8, "intermediate": 9})");
  const JsonNode root = json.root();
  EXPECT_EQ(root.at("intermediate_size").as_int64(), 1);
  EXPECT_EQ(root.at("intermediate_act").as_int64(), 2);
  EXPECT_EQ(root.at("intermed").as_int64(), 3);
  EXPECT_EQ(root.at("").as_int64(), 4);
  EXPECT_EQ(root.at("a").as_int64(), 5);
  EXPECT_EQ(root.at(std::string_view("a\0", 2)).as_int64(), 6);
  EXPECT_EQ(root.at(std::string_view("a\0b", 3)).as_int64(), 7);
  EXPECT_EQ(root.at("\u00e9").as_int64(), 8);
  EXPECT_EQ(root.at("intermediate").as_int64(), 9);
  for (const char* missing : {"intermediate_", "intermediate_sizes", "b", "A", "\u00ea"})
    EXPECT_FALSE(root.contains(missing)) << missing;
}

TEST(Json, DefaultsCoverMissingAndNull) {
  const Json json = parse(kConfig);
  const JsonNode root = json.root();
  EXPECT_EQ(root.get_int("hidden_size", 1), 384);
  EXPECT_EQ(root.get_int("nothing", 1), 1);
  EXPECT_EQ(root.get_int("pad", 2), 2);
  EXPECT_EQ(root.get_double("layer_norm_eps", 1.0), 1e-12);
  EXPECT_EQ(root.get_double("pad", 1.0), 1.0);
  EXPECT_EQ(root.get_bool("use_cache", false), true);
  EXPECT_EQ(root.get_bool("nothing", true), true);
  EXPECT_EQ(root.get_string("nothing", "bert"), "bert");
  // A value of the wrong kind is an error and not the default.
  expect_error(ErrorCode::format, "expected an integer, found true",
               [&] { root.get_int("use_cache", 1); });
}

TEST(Json, MessagesNameFileAndPlace) {
  const Json json = parse(kConfig);
  const JsonNode root = json.root();
  const auto refused = [&](const std::string& message, auto action) {
    expect_error(ErrorCode::format, message, action);
  };
  refused("config.json: field \"model_type\": expected an integer, found a string",
          [&] { root.at("model_type").as_int64(); });
  refused("config.json: field \"hidden_size\": expected a string, found 384",
          [&] { root.at("hidden_size").as_string(); });
  refused("config.json: field \"heads[2]\": expected an integer, found 1.5",
          [&] { root.at("heads")[2].as_int64(); });
  refused("config.json: field \"heads[4].deep[1]\": expected true or false, found an array",
          [&] { root.at("heads")[4].at("deep")[1].as_bool(); });
  refused("config.json: field \"pad\": expected a number, found null",
          [&] { root.at("pad").as_double(); });
  refused("config.json: field \"heads\": expected at least 6 elements, found 5",
          [&] { root.at("heads")[5]; });
  refused("config.json: field \"vocab_size\" is missing", [&] { root.at("vocab_size"); });
  refused("config.json: field \"heads[4].shallow\" is missing",
          [&] { root.at("heads")[4].at("shallow"); });
  refused("config.json: expected an array, found an object", [&] { root.elements(); });
  refused("config.json: field \"heads\": expected an object, found an array",
          [&] { root.at("heads").members(); });
  refused("config.json: field \"heads\": expected an object, found an array",
          [&] { root.at("heads").find("x"); });
  refused("config.json: field \"pad\": expected an array or an object, found null",
          [&] { root.at("pad").size(); });
  refused("config.json: field \"hidden_size\": expected an integer from 1 to 100, found 384",
          [&] { root.at("hidden_size").as_int64(1, 100); });
  EXPECT_EQ(root.at("hidden_size").as_int64(384, 384), 384);
  refused("config.json: field \"hidden_size\": must be even",
          [&] { root.at("hidden_size").refuse("must be even"); });
}

TEST(Json, MessagesAreCleanWhateverTheKey) {
  const Json json = parse("{\"\\u001b[2J\\n\": 1, \"" + std::string(63, 'k') + "\u00e9tail\": 2}");
  std::vector<std::string> paths;
  for (JsonNode member : json.root().members()) paths.push_back(member.path());
  EXPECT_EQ(paths, (std::vector<std::string>{"\\u001b[2J\\n", std::string(63, 'k') + "..."}));
}

TEST(Json, LargeIntegersDoNotFailTheDocument) {
  const Json json = parse(
      R"({"max": 9223372036854775807, "min": -9223372036854775808, "over": 9223372036854775808,)"
      R"( "under": -9223372036854775809, "u64": 18446744073709551615, "text": "12345678901234567890123",)"
      R"( "hub": 1000000000000000019884624838656, "float": 1e30, "fraction": 1.1234567890123456789012,)"
      R"( "exponent": 12345678901234567890123e2, "list": [12345678901234567890123,7], "quote\"": 1})");
  const JsonNode root = json.root();
  EXPECT_EQ(root.at("max").as_int64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(root.at("min").as_int64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(root.at("text").as_string(), "12345678901234567890123");
  for (const char* key : {"over", "under", "u64", "hub", "float"}) {
    SCOPED_TRACE(key);
    EXPECT_TRUE(root.at(key).is_beyond_int64());
    EXPECT_FALSE(root.at(key).is_integer());
    EXPECT_EQ(root.get_limit(key), std::nullopt);
    expect_error(ErrorCode::format, "expected an integer of 64 bits, found",
                 [&] { root.at(key).as_int64(); });
    expect_error(ErrorCode::format, "expected an integer of 64 bits, found",
                 [&] { root.get_int(key, 1); });
  }
  EXPECT_EQ(root.at("hub").as_double(), 1e30);
  EXPECT_EQ(root.at("fraction").as_double(), 1.1234567890123456789012);
  EXPECT_EQ(root.at("exponent").as_double(), 12345678901234567890123e2);
  EXPECT_EQ(root.at("list")[0].as_double(), 12345678901234567890123.0);
  EXPECT_EQ(root.at("list")[1].as_int64(), 7);
  EXPECT_EQ(root.at("quote\"").as_int64(), 1);
}

TEST(Json, LimitsAreReadOrUnset) {
  const Json json = parse(R"({"limit": 512, "null": null, "text": "512", "half": 512.5})");
  const JsonNode root = json.root();
  EXPECT_EQ(root.get_limit("limit"), 512);
  EXPECT_EQ(root.get_limit("null"), std::nullopt);
  EXPECT_EQ(root.get_limit("missing"), std::nullopt);
  for (const char* key : {"text", "half"})
    expect_error(ErrorCode::format, "expected an integer", [&] { root.get_limit(key); });
}

TEST(Json, RefusesDuplicateKeysUnescapedAtEveryLevel) {
  expect_refused(R"({"a": 1, "b": 2, "a": 3})", "config.json: field \"a\" appears twice");
  expect_refused(R"({"a": 1, "\u0061": 3})", "field \"a\" appears twice");
  expect_refused(R"({"x": [{"y": {"long_enough_key": 1, "other": 2, "long_enough_key": 1}}]})",
                 "field \"x[0].y.long_enough_key\" appears twice");
  expect_refused(R"({"": 1, "": 3})", "appears twice");
  // Equal in different objects, or only by beginning, is fine.
  parse(R"({"a": {"a": 1}, "b": {"a": 1}, "a\u0000": 1, "aaaaaaaaaa": 1, "aaaaaaaaab": 2})");
}

TEST(Json, RefusesNanAndInfinity) {
  expect_refused("{\"eps\":\n NaN}", "config.json: line 2: NaN where a value is needed");
  expect_refused("[Infinity]", "config.json: line 1: Infinity where a value is needed");
  expect_refused("[-Infinity]", "Infinity where a value is needed");
  expect_refused("[nan]", "cannot be read as JSON");
  expect_refused("[1e400]", "a number is malformed or beyond the range of a double");
  expect_refused("[" + std::string(400, '9') + "]", "beyond the range of a double");
  EXPECT_EQ(parse(R"(["NaN", "-Infinity \" NaN"])").root()[0].as_string(), "NaN");
}

TEST(Json, CapsTheDepth) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + "1" + std::string(levels, ']');
  };
  parse(nested(64));
  expect_refused(nested(65), "config.json: line 1: nested deeper than 64 levels");
  expect_refused(std::string(1 << 20, '['), "nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  expect_refused(objects, "nested deeper than 64 levels");
  // Width is not depth, and brackets in strings are not nesting.
  std::string wide = "[";
  for (int i = 0; i < 200; ++i) wide += "[],{},";
  parse(wide + "\"" + std::string(100, '[') + "\"]");
}

TEST(Json, RefusesWhatIsNotOneValue) {
  expect_refused("", "config.json: cannot be read as JSON: it is empty");
  expect_refused(" \n\t", "it is empty");
  for (const char* text : {"{}x",
                           "{} {}",
                           "1 2",
                           "[1,]",
                           "{\"a\":1,}",
                           "[1 2]",
                           "{1:2}",
                           "{\"a\"}",
                           "[",
                           "}",
                           "[}",
                           "nul",
                           "tru",
                           "[01]",
                           "[1.]",
                           "[.5]",
                           "[+1]",
                           "[-]",
                           "[1e]",
                           "[0x10]",
                           "'a'",
                           "[\"a]",
                           "// c\n1",
                           "[1]\xE2\x80\x8B",
                           "[12345678901234567890123abc]",
                           "[012345678901234567890123]",
                           "[--12345678901234567890123]",
                           "[12345678901234567890123-1]",
                           "12345678901234567890123[]"})
    expect_refused(text, "config.json: cannot be read as JSON: ");
  expect_refused(std::string("[1]\0", 4), "cannot be read as JSON");
  expect_refused(std::string("[1,\0 2]", 7), "cannot be read as JSON");
  expect_refused("[\"a\tb\"]", "control character");
  expect_refused("[\"never closed", "a string is never closed");
}

TEST(Json, RefusesInvalidUtf8AndHalfSurrogates) {
  for (const char* text : {"[\"\xff\"]", "[\"\xc0\xaf\"]", "[\"\xed\xa0\x80\"]", "[\"\xe2\x82\"]",
                           "[\"\xf5\x80\x80\x80\"]", "[1]\xff", "\xff\xfe[\0"})
    expect_refused(text, "it is not valid UTF-8");
  for (const char* text : {R"(["\ud800"])", R"(["\udc00"])", R"(["\ud800\u0041"])",
                           R"(["\udc00\ud800"])", R"(["\ud83d x"])", R"(["\q"])", R"(["\u12"])"})
    expect_refused(text, "a string holds a wrong escape sequence or half of a surrogate pair");
  EXPECT_EQ(parse(R"("\ud83d\ude00\u0000")").root().as_string(),
            std::string_view("\U0001F600\0", 5));
}

TEST(Json, SkipsOneByteOrderMark) {
  EXPECT_EQ(parse("\xEF\xBB\xBF{\"a\": 1}").root().at("a").as_int64(), 1);
  expect_refused("\xEF\xBB\xBF\xEF\xBB\xBF{}", "cannot be read as JSON");
  expect_refused("\xEF\xBB\xBF", "it is empty");
}

TEST(Json, RootMayBeAnyValue) {
  EXPECT_EQ(parse("12").root().as_int64(), 12);
  EXPECT_EQ(parse(" \"x\" ").root().as_string(), "x");
  EXPECT_EQ(parse("null").root().path(), "");
  expect_error(ErrorCode::format, "config.json: expected an object, found 12",
               [] { parse("12").root().at("a"); });
}

TEST(Json, CopiesShareTheDocument) {
  Json copy = parse("0");
  {
    const Json json = parse(kConfig);
    copy = json;
  }
  EXPECT_EQ(copy.root().at("model_type").as_string(), "b\u00e9rt\n");
  EXPECT_EQ(copy.name(), "config.json");
}

TEST(Json, ReadsFiles) {
  const TempDir dir;
  const std::string path = dir.write("config.json", kConfig);
  EXPECT_EQ(Json::read_file(path).root().at("hidden_size").as_int64(), 384);
  expect_error(ErrorCode::limit, "at most 10 are read", [&] { Json::read_file(path, 10); });
  expect_error(ErrorCode::not_found, "cannot open \"" + dir.path("none.json") + "\"",
               [&] { Json::read_file(dir.path("none.json")); });
  expect_error(ErrorCode::format, path + ": field \"pad\": expected a string, found null",
               [&] { Json::read_file(path).root().at("pad").as_string(); });
}

// Reads everything there is, so that a wrong pointer shows under a sanitizer.
size_t visit(JsonNode node) {
  size_t sum = node.key().size() + node.path().size();
  if (node.is_array())
    for (JsonNode child : node.elements()) sum += visit(child);
  if (node.is_object())
    for (JsonNode child : node.members()) sum += visit(child) + node.at(child.key()).key().size();
  if (node.is_string()) sum += node.as_string().size();
  return sum;
}

TEST(Json, EveryCutOfADocumentIsRefused) {
  const size_t end = kConfig.size() - 1;  // without the closing brace at least
  for (size_t length = 0; length <= end; ++length) {
    SCOPED_TRACE(length);
    EXPECT_THROW(parse(kConfig.substr(0, length)), Error);
  }
}

TEST(Json, RandomDamageIsReadOrRefused) {
  std::mt19937 random(20240607);
  size_t accepted = 0;
  size_t refused = 0;
  constexpr std::string_view kBytes = "{}[]\",:\\0123456789eE+-.truefalsn \n\x80\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string text(kConfig);
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
          break;
        case 2:
          text.erase(at, 1 + random() % 8);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
      if (text.empty()) text += "{";
    }
    try {
      const Json json = parse(text);
      visit(json.root());
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::format);
      ++refused;
    }
  }
  // Both happen, or the damage tests nothing.
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace headway
