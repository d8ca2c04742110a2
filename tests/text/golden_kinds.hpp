// The tokenizers of scripts/make_golden_steps.py and make_golden_offsets.py, and the random strings
// that they are tried on.
#pragma once

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"
#include "engine/text/unicode.hpp"
#include "tests/text/golden_hash.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {

// The model whose ids are the bytes of the words: see the script.
inline std::string transcript_model(const std::string& prefix) {
  std::string model = cat(R"({"type":"BPE","continuing_subword_prefix":")", prefix,
                          R"(","byte_fallback":true,"merges":[],"vocab":{)");
  for (int byte = 0; byte < 256; ++byte) {
    char entry[24];
    std::snprintf(entry, sizeof entry, "%s\"<0x%02X>\":%d", byte ? "," : "", byte, byte);
    model += entry;
  }
  return model + "}}";
}

// The value of `key` in a line of JSON, up to `next`.
inline std::string json_field(const std::string& line, const std::string& key,
                              const std::string& next) {
  const std::string name = cat("\"", key, "\": ");
  const size_t begin = line.find(name) + name.size();
  return line.substr(begin, line.find(next, begin) - begin);
}

// One of steps.jsonl, with the model above, or of models/.
inline Tokenizer open_kind(const std::string& name, const std::string& prefix) {
  const auto folder = golden_directory() / "tokenizer";
  if (std::filesystem::exists(folder / "models" / (name + ".json"))) return open_trained(name);
  std::ifstream steps(folder / "steps.jsonl");
  for (std::string line; std::getline(steps, line);) {
    if (Json::parse(line, "steps.jsonl").root().at("name").as_string() != name) continue;
    line.pop_back();  // the closing brace
    const std::string file =
        cat(R"({"normalizer":)", json_field(line, "normalizer", ", \"pre_tokenizer\""),
            R"(,"pre_tokenizer":)", line.substr(line.find("\"pre_tokenizer\": ") + 17),
            R"(,"model":)", transcript_model(prefix), "}");
    return Tokenizer::open(TestDirectory(Files{{"tokenizer.json", file}}).path());
  }
  throw std::runtime_error("no such kind: " + name);
}

// A kind of offsets.jsonl, which is one of models/ with changes, or one as above.
inline Tokenizer open_changed(const std::string& name) {
  const auto folder = golden_directory() / "tokenizer";
  std::ifstream changed(folder / "offsets.jsonl");
  for (std::string line; std::getline(changed, line);) {
    const Json json = Json::parse(line, "offsets.jsonl");
    if (json.root().at("name").as_string() != name) continue;
    const std::string model(json.root().at("model").as_string());
    std::string file = read_text(folder / "models" / (model + ".json"));
    for (const JsonNode change : json.root().at("changes").elements()) {
      const std::string_view from = change[0].as_string();
      file.replace(file.find(from), from.size(), change[1].as_string());
    }
    return Tokenizer::open(TestDirectory(Files{{"tokenizer.json", file}}).path());
  }
  return open_kind(name, "");
}

// The same as PIECES of the script.
inline const std::string kGoldenPieces[] = {" ",
                                            " ",
                                            " ",
                                            "  ",
                                            "   ",
                                            "\n",
                                            "\r\n",
                                            " \n ",
                                            "\t",
                                            "'s",
                                            "'S",
                                            "'\u017f",
                                            "'ll",
                                            "'re",
                                            "'T",
                                            "\u212a",
                                            "the",
                                            "The",
                                            "THE",
                                            "of",
                                            " and",
                                            "licence",
                                            "Software",
                                            "a",
                                            "b",
                                            "ab",
                                            "abc",
                                            "x",
                                            "1",
                                            "12",
                                            "1234",
                                            "3.14",
                                            ",",
                                            ".",
                                            "...",
                                            "!?",
                                            "(",
                                            ")",
                                            "-",
                                            "_",
                                            "#",
                                            "/",
                                            "\u00e9",
                                            "e\u0301",
                                            "\u0301",
                                            "\u0323",
                                            "\u0308",
                                            "\ufb01",
                                            "\u212b",
                                            "\uac01",
                                            "\u1100\u1161\u11a8",
                                            "\u1161",
                                            "\u11a8",
                                            "\u4e2d\u6587",
                                            "\u3042",
                                            "\u30ab",
                                            "\u2581",
                                            "\u2581the",
                                            "<unk>",
                                            "<s>",
                                            "</s>",
                                            "<0x0A>",
                                            "\u00a0",
                                            "\u3000",
                                            "\u200b",
                                            "\u200d",
                                            "\U0001f600",
                                            "\U0001f1e9\U0001f1ea",
                                            "\u0915\u094d\u0915",
                                            "\u1ebf",
                                            "\u1e9b\u0323",
                                            "\u0130",
                                            "\u03a3",
                                            "\u00df",
                                            "\u00bd",
                                            "\u2160",
                                            "\u0663",
                                            "\ufffd",
                                            std::string(1, '\0')};

inline std::string random_text(Draw& draw) {
  std::string text;
  for (uint32_t length = draw.below(24); length > 0; --length) {
    if (draw.below(2)) {
      text += kGoldenPieces[draw.below(std::size(kGoldenPieces))];
    } else {
      const auto& range = kGoldenRanges[draw.below(std::size(kGoldenRanges))];
      append_utf8(text, range[0] + draw.below(range[1] - range[0] + 1));
    }
  }
  return text;
}

}  // namespace headway
