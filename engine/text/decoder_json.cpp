// The decoders of tokenizer.json.
#include <limits>

#include "engine/text/tokenizer_json.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

std::string read_some_text(const JsonNode& node) {
  if (node.as_string().empty()) node.refuse("expected a text, found nothing");
  return std::string(node.as_string());
}

size_t read_count(const JsonNode& node) {
  return static_cast<size_t>(node.as_int64(0, std::numeric_limits<int64_t>::max()));
}

Decoder read_one(const Json& json, const JsonNode& node, std::string_view type) {
  if (type == "WordPiece")
    return WordPieceDecoder{std::string(node.at("prefix").as_string()),
                            node.at("cleanup").as_bool()};
  if (type == "BPEDecoder") return BpeDecoder{read_some_text(node.at("suffix"))};
  if (type == "ByteLevel") return ByteLevelDecoder{};
  if (type == "Metaspace") {
    const Metaspace metaspace = read_metaspace(json, node, true);
    return MetaspaceDecoder{metaspace.replacement, metaspace.prepend != Metaspace::Prepend::never};
  }
  if (type == "ByteFallback") return ByteFallbackDecoder{};
  if (type == "Fuse") return FuseDecoder{};
  if (type == "Strip")
    return StripDecoder{read_character(node.at("content")), read_count(node.at("start")),
                        read_count(node.at("stop"))};
  if (type == "Replace") return ReplaceDecoder{read_replace(json, node)};
  if (type == "CTC")
    return CtcDecoder{read_some_text(node.at("pad_token")),
                      read_some_text(node.at("word_delimiter_token")),
                      node.at("cleanup").as_bool()};
  refuse_component(json, node.at("type"), type,
                   "WordPiece, BPEDecoder, ByteLevel, Metaspace, ByteFallback, Fuse, Strip, "
                   "Replace, CTC, Sequence");
}

}  // namespace

void read_decoder(const Json& json, const JsonNode& node, std::vector<Decoder>& decoders) {
  const std::string_view type = node.at("type").as_string();
  if (type != "Sequence") return decoders.push_back(read_one(json, node, type));
  for (const JsonNode part : node.at("decoders").elements()) read_decoder(json, part, decoders);
}

}  // namespace headway
