// One function for each class.
#include "engine/text/tokenizer_class.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/message.hpp"
#include "engine/text/tokenizer_config.hpp"
#include "engine/text/tokenizer_parts.hpp"

namespace headway {
namespace {

struct KnownName {
  std::string_view name;
  TokenizerClass of;
};

// A class by its name or that of one that inherits from it.
constexpr KnownName kClasses[] = {
    {"BertTokenizer", TokenizerClass::bert},
    {"DistilBertTokenizer", TokenizerClass::bert},
    {"ElectraTokenizer", TokenizerClass::bert},
    {"ConvBertTokenizer", TokenizerClass::bert},
    {"MobileBertTokenizer", TokenizerClass::bert},
    {"SqueezeBertTokenizer", TokenizerClass::bert},
    {"LxmertTokenizer", TokenizerClass::bert},
    {"LayoutLMTokenizer", TokenizerClass::bert},
    {"AlbertTokenizer", TokenizerClass::albert},
    {"CamembertTokenizer", TokenizerClass::camembert},
    {"MPNetTokenizer", TokenizerClass::mpnet},
    {"RobertaTokenizer", TokenizerClass::roberta},
    {"XLMRobertaTokenizer", TokenizerClass::xlm_roberta},
};
// The class of a model whose files name none.
constexpr KnownName kModelTypes[] = {
    {"bert", TokenizerClass::bert},          {"distilbert", TokenizerClass::bert},
    {"electra", TokenizerClass::bert},       {"convbert", TokenizerClass::bert},
    {"squeezebert", TokenizerClass::bert},   {"ernie", TokenizerClass::bert},
    {"nomic_bert", TokenizerClass::bert},    {"layoutlm", TokenizerClass::bert},
    {"nezha", TokenizerClass::bert},         {"realm", TokenizerClass::bert},
    {"megatron-bert", TokenizerClass::bert}, {"qdqbert", TokenizerClass::bert},
    {"retribert", TokenizerClass::bert},     {"bros", TokenizerClass::bert},
    {"visual_bert", TokenizerClass::bert},   {"mpnet", TokenizerClass::mpnet},
    {"albert", TokenizerClass::albert},      {"camembert", TokenizerClass::camembert},
    {"roberta", TokenizerClass::roberta},    {"xlm-roberta", TokenizerClass::xlm_roberta},
};
// Classes that make their tokenizers anew in ways of their own.
constexpr std::string_view kUnknownClasses[] = {
    "BarthezTokenizer",   "BigBirdTokenizer",   "BlenderbotTokenizer", "CLIPTokenizer",
    "CodeGenTokenizer",   "CodeLlamaTokenizer", "CohereTokenizer",     "DebertaTokenizer",
    "DebertaV2Tokenizer", "FunnelTokenizer",    "GPT2Tokenizer",       "GPTNeoXTokenizer",
    "GemmaTokenizer",     "HerbertTokenizer",   "LayoutLMv2Tokenizer", "LayoutLMv3Tokenizer",
    "LayoutXLMTokenizer", "LlamaTokenizer",     "LukeTokenizer",       "MBart50Tokenizer",
    "MBartTokenizer",     "MLukeTokenizer",     "MarkupLMTokenizer",   "NllbTokenizer",
    "NougatTokenizer",    "OpenAIGPTTokenizer", "PegasusTokenizer",    "Qwen2Tokenizer",
    "ReformerTokenizer",  "RemBertTokenizer",   "SplinterTokenizer",   "T5Tokenizer",
    "UdopTokenizer",      "WhisperTokenizer",   "XGLMTokenizer",       "XLNetTokenizer",
};

template <size_t n>
TokenizerClass look_up(const KnownName (&names)[n], std::string_view name) {
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const KnownName& known) { return known.name == name; });
  return found == std::end(names) ? TokenizerClass::of_the_file : found->of;
}

template <typename Options>
Options& options_of(TokenizerParts& parts, const TokenizerConfig& config, const char* kind) {
  if (auto* options = std::get_if<Options>(&parts.model)) return *options;
  fail(ErrorCode::format, parts.file, ": field \"model.type\": expected ", kind,
       ", which the tokenizer class ", config.class_name, " is for");
}

// The id of the token of this role.
int32_t find_role(const TokenizerParts& parts, const TokenizerConfig& config,
                  std::string_view role) {
  const std::string& content = config.find(role)->content;
  if (const auto id = parts.vocabulary.find(content)) return *id;
  for (const AddedToken& added : parts.added_tokens)
    if (added.content == content) return added.id;
  fail(ErrorCode::format, parts.file, ": the ", role, " \"", content,
       "\" is not in the vocabulary");
}

// Puts the tokens of these roles around texts, in place of what the file says. `trim_prefix`: the
// add_prefix_space of a RobertaProcessing that trims offsets.
void surround(TokenizerParts& parts, const TokenizerConfig& config, std::string_view before,
              std::string_view after, PairForm form, std::optional<bool> trim_prefix = {}) {
  parts.post_processor = PostProcessor();
  if (trim_prefix) parts.post_processor.trim(*trim_prefix);
  const int32_t first = find_role(parts, config, before), last = find_role(parts, config, after);
  parts.post_processor.surround(first, last, form);
}

void rebuild_bert(TokenizerParts& parts, const TokenizerConfig& config) {
  auto& options = options_of<WordPieceOptions>(parts, config, "WordPiece");
  const std::string& unknown = config.find("unk_token")->content;
  const std::optional<int32_t> id = parts.vocabulary.find(unknown);
  if (!id)
    fail(ErrorCode::format, parts.file, ": the unk_token \"", unknown,
         "\" is not in the vocabulary");
  options = WordPieceOptions{.unknown = *id};
  parts.normalizers = {
      BertNormalization{{.clean_text = true,
                         .handle_chinese_chars = config.tokenize_chinese_chars,
                         .strip_accents = config.strip_accents.value_or(config.do_lower_case),
                         .lowercase = config.do_lower_case}}};
  parts.pre_tokenizers = {BertWordSplit()};
  parts.decoders = {WordPieceDecoder{.prefix = "##", .cleanup = true}};
}

void rebuild_roberta(TokenizerParts& parts, const TokenizerConfig& config) {
  auto& options = options_of<BpeOptions>(parts, config, "BPE");
  BpeOptions plain;
  plain.merges = std::move(options.merges);
  options = std::move(plain);
  parts.normalizers.clear();
  parts.pre_tokenizers = {
      ByteLevelSplit{.add_prefix_space = config.add_prefix_space.value_or(false),
                     .pattern = Pattern::regex(kGpt2Pattern, "ByteLevel")}};
  parts.decoders = {ByteLevelDecoder()};
  surround(
      parts, config, "cls_token", "sep_token", PairForm::roberta,
      config.trim_offsets ? std::optional(config.add_prefix_space.value_or(false)) : std::nullopt);
}

// What the classes of SentencePiece models have in common. `unknown` is the id of that token;
// before the charsmap of the file, the first of its normalizers that is one, come `normalizers`.
void rebuild_unigram(TokenizerParts& parts, const TokenizerConfig& config, int32_t unknown,
                     std::vector<Normalizer> normalizers = {}) {
  auto& options = options_of<UnigramOptions>(parts, config, "Unigram");
  const auto least = static_cast<size_t>(unknown) + 1;
  if (options.scores.size() < least)
    fail(ErrorCode::format, parts.file, ": field \"model.vocab\": expected at least ", least,
         " tokens, found ", options.scores.size());
  options.unknown = unknown;
  options.byte_fallback = false;
  const auto charsmap = std::find_if(
      parts.normalizers.begin(), parts.normalizers.end(),
      [](const Normalizer& normalizer) { return std::holds_alternative<Charsmap>(normalizer); });
  if (charsmap != parts.normalizers.end()) normalizers.push_back(std::move(*charsmap));
  parts.normalizers = std::move(normalizers);
  const bool prefix = config.add_prefix_space.value_or(true);
  parts.pre_tokenizers = {
      WhitespaceSplit(),
      Metaspace{.replacement = "\u2581",
                .prepend = prefix ? Metaspace::Prepend::always : Metaspace::Prepend::never}};
  parts.decoders = {MetaspaceDecoder{.replacement = "\u2581", .prepended = prefix}};
}

void rebuild_albert(TokenizerParts& parts, const TokenizerConfig& config) {
  std::vector<Normalizer> normalizers = {Replace{Pattern::literal("``"), "\""},
                                         Replace{Pattern::literal("''"), "\""}};
  if (!config.keep_accents) {
    normalizers.push_back(UnicodeForm{.compatibility = true});
    normalizers.push_back(StripAccents());
  }
  if (config.do_lower_case) normalizers.push_back(Lowercase());
  rebuild_unigram(parts, config, 1, std::move(normalizers));
  surround(parts, config, "cls_token", "sep_token", PairForm::bert);
}

void rebuild_camembert(TokenizerParts& parts, const TokenizerConfig& config) {
  rebuild_unigram(parts, config,
                  parts.vocabulary.find(config.find("unk_token")->content).value_or(0));
  surround(parts, config, "bos_token", "eos_token", PairForm::roberta);
}

void rebuild_xlm_roberta(TokenizerParts& parts, const TokenizerConfig& config) {
  rebuild_unigram(parts, config, 3);
  surround(parts, config, "bos_token", "eos_token", PairForm::roberta);
}

void add_default(TokenizerConfig& config, const char* role, const char* content,
                 bool lstrip = false) {
  if (config.find(role)) return;
  AddedToken token;
  token.content = content;
  token.special = true;
  token.lstrip = lstrip;
  config.name(role, std::move(token));
}

}  // namespace

TokenizerClass find_tokenizer_class(std::string_view name, std::string_view model_type,
                                    std::string_view where) {
  if (name.empty()) return look_up(kModelTypes, model_type);
  if (name.ends_with("Fast")) name.remove_suffix(4);
  if (std::find(std::begin(kUnknownClasses), std::end(kUnknownClasses), name) !=
      std::end(kUnknownClasses))
    fail(ErrorCode::unsupported, where, ": tokenizer_class ", name,
         " is not supported: transformers makes its tokenizer anew instead of reading it");
  return look_up(kClasses, name);
}

void add_class_defaults(TokenizerConfig& config) {
  switch (config.tokenizer_class) {
    case TokenizerClass::of_the_file:
      return;
    case TokenizerClass::bert:
      add_default(config, "unk_token", "[UNK]");
      add_default(config, "sep_token", "[SEP]");
      add_default(config, "pad_token", "[PAD]");
      add_default(config, "cls_token", "[CLS]");
      add_default(config, "mask_token", "[MASK]");
      return;
    case TokenizerClass::albert:
      add_default(config, "bos_token", "[CLS]");
      add_default(config, "eos_token", "[SEP]");
      add_default(config, "unk_token", "<unk>");
      add_default(config, "sep_token", "[SEP]");
      add_default(config, "pad_token", "<pad>");
      add_default(config, "cls_token", "[CLS]");
      add_default(config, "mask_token", "[MASK]");
      return;
    case TokenizerClass::camembert:
    case TokenizerClass::mpnet:
    case TokenizerClass::roberta:
    case TokenizerClass::xlm_roberta:
      const bool camembert = config.tokenizer_class == TokenizerClass::camembert;
      const bool mpnet = config.tokenizer_class == TokenizerClass::mpnet;
      // Additional tokens have no role, but their text.
      const bool listed = std::any_of(config.named.begin(), config.named.end(),
                                      [](const auto& n) { return n.role == n.token.content; });
      add_default(config, "bos_token", "<s>");
      add_default(config, "eos_token", "</s>");
      add_default(config, "unk_token", mpnet ? "[UNK]" : "<unk>");
      add_default(config, "sep_token", "</s>");
      add_default(config, "pad_token", "<pad>");
      add_default(config, "cls_token", "<s>");
      add_default(config, "mask_token", "<mask>", mpnet || camembert);
      if (camembert && !listed)
        for (const char* unused : {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"})
          add_default(config, unused, unused);
      return;
  }
}

void rebuild(TokenizerParts& parts, const TokenizerConfig& config) {
  switch (config.tokenizer_class) {
    case TokenizerClass::of_the_file:
      return;
    case TokenizerClass::albert:
      return rebuild_albert(parts, config);
    case TokenizerClass::camembert:
      return rebuild_camembert(parts, config);
    case TokenizerClass::bert:
      rebuild_bert(parts, config);
      return surround(parts, config, "cls_token", "sep_token", PairForm::bert);
    case TokenizerClass::mpnet:
      rebuild_bert(parts, config);
      return surround(parts, config, "cls_token", "sep_token", PairForm::roberta, false);
    case TokenizerClass::roberta:
      return rebuild_roberta(parts, config);
    case TokenizerClass::xlm_roberta:
      return rebuild_xlm_roberta(parts, config);
  }
}

}  // namespace headway
