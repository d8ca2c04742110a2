// The pre-tokenizers of tokenizer.json.
#include <limits>

#include "engine/base/message.hpp"
#include "engine/text/tokenizer_json.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// Each hands its pieces to the next by recursion, with some 500 bytes of stack. Published files
// have up to 5.
constexpr size_t kMaxPreTokenizers = 32;

Delimiters read_behavior(const JsonNode& node) {
  const std::string_view name = node.as_string();
  if (name == "Removed") return Delimiters::removed;
  if (name == "Isolated") return Delimiters::isolated;
  if (name == "MergedWithPrevious") return Delimiters::merged_with_previous;
  if (name == "MergedWithNext") return Delimiters::merged_with_next;
  if (name == "Contiguous") return Delimiters::contiguous;
  node.refuse("expected Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

int64_t read_length(const JsonNode& node) {
  const auto length = node.find("length");
  return length ? length->as_int64(1, std::numeric_limits<int64_t>::max()) : 5;
}

PreTokenizer read_one(const Json& json, const JsonNode& node, std::string_view type, bool first) {
  if (type == "BertPreTokenizer") return BertWordSplit{};
  if (type == "Whitespace") return WordSplit{};
  if (type == "WhitespaceSplit") return WhitespaceSplit{};
  if (type == "CharDelimiterSplit") {
    const std::string delimiter = read_character(node.at("delimiter"));
    const char* p = delimiter.data();
    return CharSplit{decode_utf8(p, p + delimiter.size())};
  }
  if (type == "FixedLength") return FixedLengthSplit{static_cast<size_t>(read_length(node))};
  if (type == "UnicodeScripts") return ScriptSplit{};
  if (type == "Punctuation") {
    const auto behavior = node.find("behavior");
    return PunctuationSplit{behavior ? read_behavior(*behavior) : Delimiters::isolated};
  }
  if (type == "Digits") return DigitSplit{node.at("individual_digits").as_bool()};
  if (type == "Split")
    return PatternSplit{read_pattern(json, node.at("pattern")), read_behavior(node.at("behavior")),
                        node.at("invert").as_bool()};
  if (type == "ByteLevel") {
    ByteLevelSplit split;
    split.add_prefix_space = node.at("add_prefix_space").as_bool();
    if (node.get_bool("use_regex", true)) split.pattern = Pattern::regex(kGpt2Pattern, "ByteLevel");
    return split;
  }
  if (type == "Metaspace") return read_metaspace(json, node, first);
  refuse_component(
      json, node.at("type"), type,
      "BertPreTokenizer, Whitespace, WhitespaceSplit, CharDelimiterSplit, FixedLength, "
      "UnicodeScripts, Punctuation, Digits, Split, ByteLevel, Metaspace, Sequence");
}

}  // namespace

std::string read_character(const JsonNode& node) {
  std::string character(node.as_string());
  const char* p = character.data();
  const char* const end = p + character.size();
  if (p < end) decode_utf8(p, end);
  if (character.empty() || p != end) node.refuse("expected one character");
  return character;
}

Metaspace read_metaspace(const Json& json, const JsonNode& node, bool first) {
  Metaspace metaspace;
  metaspace.replacement = read_character(node.at("replacement"));
  const std::string_view scheme = node.get_string("prepend_scheme", "always");
  if (scheme == "never") {
    metaspace.prepend = Metaspace::Prepend::never;
  } else if (scheme == "first") {
    // Behind another one the reference asks where the piece comes from in the caller's text.
    if (!first)
      refuse_component(json, node.at("prepend_scheme"), scheme,
                       "always and never behind another pre-tokenizer");
    metaspace.prepend = Metaspace::Prepend::first;
  } else if (scheme != "always") {
    node.at("prepend_scheme").refuse("expected always, never or first");
  }
  if (!node.get_bool("add_prefix_space", true) && scheme != "never")
    node.at("add_prefix_space").refuse("contradicts prepend_scheme (\"always\" when missing)");
  metaspace.cut = node.get_bool("split", true);
  return metaspace;
}

void read_pre_tokenizer(const Json& json, const JsonNode& node,
                        std::vector<PreTokenizer>& pre_tokenizers) {
  const std::string_view type = node.at("type").as_string();
  if (type != "Sequence") {
    if (pre_tokenizers.size() == kMaxPreTokenizers)
      node.refuse(cat("more than ", kMaxPreTokenizers, " pre-tokenizers"), ErrorCode::limit);
    pre_tokenizers.push_back(read_one(json, node, type, pre_tokenizers.empty()));
    return;
  }
  for (const JsonNode part : node.at("pretokenizers").elements())
    read_pre_tokenizer(json, part, pre_tokenizers);
}

}  // namespace headway
