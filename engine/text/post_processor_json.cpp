// The post-processors of tokenizer.json.
#include "engine/base/message.hpp"
#include "engine/text/tokenizer_json.hpp"

namespace headway {
namespace {

using Kind = TemplatePiece::Kind;

// Of a template and of a Sequence. Published files have up to 8 pieces and 3 processors.
constexpr size_t kMaxPieces = 1000;

void check_size(const JsonNode& node, size_t size) {
  if (size > kMaxPieces)
    node.refuse(cat("more than ", kMaxPieces, " special tokens or processors"), ErrorCode::limit);
}

// A token that exists already, by its id; its text must be `token`.
void check_special(const TokenizerParts& parts, const JsonNode& node, int64_t id,
                   std::string_view token) {
  if (parts.vocabulary.find(token) == id) return;
  for (const AddedToken& added : parts.added_tokens)
    if (added.id == id && added.content == token) return;
  node.refuse(cat("the special token \"", token, "\" is not in the vocabulary with id ", id));
}

// [token, id], as BertProcessing writes it.
int32_t read_named_id(const TokenizerParts& parts, const JsonNode& pair) {
  const int64_t id = pair[1].as_int64(0, kMaxTokenId);
  check_special(parts, pair, id, pair[0].as_string());
  return static_cast<int32_t>(id);
}

// The pieces of a template. A text is what the processors before it have made of that text; for
// single texts there is no `second`.
PostTemplate read_pieces(const TokenizerParts& parts, const JsonNode& processor, const char* field,
                         const PostTemplate& first, const PostTemplate* second) {
  const JsonNode specials = processor.at("special_tokens");
  PostTemplate pieces;
  for (const JsonNode node : processor.at(field).elements()) {
    const std::optional<JsonNode> sequence = node.find("Sequence");
    const JsonNode content = sequence ? *sequence : node.at("SpecialToken");
    const auto type_id = static_cast<int32_t>(content.at("type_id").as_int64(0, INT32_MAX));
    const std::string_view name = content.at("id").as_string();
    if (sequence) {
      if (name != "A" && (name != "B" || !second))
        content.refuse(second ? "expected sequence A or B" : "expected sequence A, once");
      for (TemplatePiece piece : name == "A" ? first : *second) {
        piece.type_id = type_id;
        pieces.push_back(piece);
        check_size(node, pieces.size());
      }
      continue;
    }
    const JsonNode special = specials.at(name);
    const JsonNode ids = special.at("ids"), tokens = special.at("tokens");
    if (ids.size() != tokens.size()) special.refuse("expected as many ids as tokens");
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t id = ids[i].as_int64(0, kMaxTokenId);
      check_special(parts, special, id, tokens[i].as_string());
      pieces.push_back({Kind::special, static_cast<int32_t>(id), type_id});
      check_size(node, pieces.size());
    }
  }
  return pieces;
}

bool holds_once(const PostTemplate& pieces, Kind kind) {
  return std::count_if(pieces.begin(), pieces.end(),
                       [&](const TemplatePiece& piece) { return piece.kind == kind; }) == 1;
}

void read_template(const Json& json, const JsonNode& processor, TokenizerParts& parts) {
  PostProcessor& made = parts.post_processor;
  made.single = read_pieces(parts, processor, "single", made.single, nullptr);
  if (!holds_once(made.single, Kind::first))
    processor.at("single").refuse("expected sequence A, once");
  for (const TemplatePiece& piece : made.single)
    if (piece.type_id != 0)
      fail(ErrorCode::unsupported, json.name(), ": field \"", processor.at("single").path(),
           "\": only type 0 is supported for a single text");
  PostTemplate pair = read_pieces(parts, processor, "pair", made.pair[0], &made.pair[1]);
  if (!holds_once(pair, Kind::first) || !holds_once(pair, Kind::second)) pair.clear();
  made.pair = {std::move(pair), PostTemplate()};
}

void read_trim(const JsonNode& node, TokenizerParts& parts) {
  if (node.get_bool("trim_offsets", true))
    parts.post_processor.trim(node.get_bool("add_prefix_space", true));
}

// `after_template`: a TemplateProcessing has come already. What it makes is one encoding for each
// piece, which the reference's processors but ByteLevel then take for texts.
void read_one(const Json& json, const JsonNode& node, TokenizerParts& parts, bool& after_template) {
  const std::string_view type = node.at("type").as_string();
  if (type == "Sequence") {
    for (const JsonNode part : node.at("processors").elements())
      read_one(json, part, parts, after_template);
  } else if (type == "TemplateProcessing" || type == "BertProcessing" ||
             type == "RobertaProcessing") {
    if (after_template)
      refuse_component(json, node.at("type"), type, "ByteLevel behind a TemplateProcessing");
    if (type == "TemplateProcessing") {
      read_template(json, node, parts);
      after_template = true;
    } else {
      if (type == "RobertaProcessing") read_trim(node, parts);
      const int32_t cls = read_named_id(parts, node.at("cls"));
      const int32_t sep = read_named_id(parts, node.at("sep"));
      parts.post_processor.surround(cls, sep,
                                    type == "BertProcessing" ? PairForm::bert : PairForm::roberta);
    }
  } else if (type == "ByteLevel") {
    read_trim(node, parts);
  } else {
    refuse_component(json, node.at("type"), type,
                     "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence");
  }
  check_size(node, parts.post_processor.single.size());
  check_size(node, parts.post_processor.trims.size());
}

}  // namespace

void read_post_processor(const Json& json, const JsonNode& node, TokenizerParts& parts) {
  bool after_template = false;
  read_one(json, node, parts, after_template);
}

}  // namespace headway
