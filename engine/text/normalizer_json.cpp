// The normalizers of tokenizer.json.
#include "engine/base/message.hpp"
#include "engine/text/tokenizer_json.hpp"

namespace headway {
namespace {

// RFC 4648, with padding.
std::string decode_base64(const JsonNode& node) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string_view text = node.as_string();
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool padded = i >= text.size() - padding;
    const size_t digit = padded ? 0 : kDigits.find(text[i]);
    if (text.size() % 4 != 0 || digit == std::string_view::npos) node.refuse("expected base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if (i % 4 == 3)
      for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xFF);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

Normalizer read_one(const Json& json, const JsonNode& node, std::string_view type) {
  if (type == "BertNormalizer") {
    BertNormalizerOptions options;
    options.clean_text = node.at("clean_text").as_bool();
    options.handle_chinese_chars = node.at("handle_chinese_chars").as_bool();
    options.lowercase = node.at("lowercase").as_bool();
    options.strip_accents = node.get_bool("strip_accents", options.lowercase);
    return BertNormalization{options};
  }
  if (type == "NFD") return UnicodeForm{};
  if (type == "NFKD") return UnicodeForm{.compatibility = true};
  if (type == "NFC") return UnicodeForm{.composed = true};
  if (type == "NFKC") return UnicodeForm{.compatibility = true, .composed = true};
  if (type == "Lowercase") return Lowercase{};
  if (type == "StripAccents") return StripAccents{};
  if (type == "Strip")
    return Strip{node.at("strip_left").as_bool(), node.at("strip_right").as_bool()};
  if (type == "Replace") return read_replace(json, node);
  if (type == "Prepend") return Prepend{std::string(node.at("prepend").as_string())};
  if (type == "Nmt") return Nmt{};
  if (type == "Precompiled") {
    const JsonNode map = node.at("precompiled_charsmap");
    return Charsmap(decode_base64(map), cat(json.name(), ": field \"", map.path(), "\""));
  }
  if (type == "ByteLevel") return ByteLevelNormalization{};
  refuse_component(json, node.at("type"), type,
                   "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, "
                   "Prepend, Nmt, Precompiled, ByteLevel, Sequence");
}

}  // namespace

Replace read_replace(const Json& json, const JsonNode& node) {
  return {read_pattern(json, node.at("pattern")), std::string(node.at("content").as_string())};
}

void read_normalizer(const Json& json, const JsonNode& node, std::vector<Normalizer>& normalizers) {
  const std::string_view type = node.at("type").as_string();
  if (type != "Sequence") return normalizers.push_back(read_one(json, node, type));
  for (const JsonNode part : node.at("normalizers").elements())
    read_normalizer(json, part, normalizers);
}

}  // namespace headway
