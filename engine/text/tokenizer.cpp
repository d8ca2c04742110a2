// The public tokenizer over the pipeline.
#include "headway/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "engine/base/message.hpp"
#include "engine/text/encodings.hpp"
#include "engine/text/text_pipeline.hpp"
#include "engine/text/tokenizer_parts.hpp"
#include "engine/text/truncation.hpp"

namespace headway {
namespace {

// What the calling thread keeps from one text to the next, so that encoding allocates nothing. A
// text of more than kMostKept bytes gives back what it needed, which may be 16 times its size.
class Workspace {
 public:
  explicit Workspace(size_t text_bytes) : gives_back_(text_bytes > kMostKept) {}
  Workspace(const Workspace&) = delete;
  ~Workspace() {
    if (gives_back_) const Memory gone = std::move(memory());  // assigning would keep strings
  }

  TextWorkspace& text() const { return memory().text; }
  std::vector<int32_t>& ids(size_t of_text) const { return memory().ids[of_text]; }

 private:
  static constexpr size_t kMostKept = size_t{1} << 20;

  struct Memory {
    TextWorkspace text;
    std::array<std::vector<int32_t>, 2> ids;  // of the texts of a pair
  };
  static Memory& memory() {
    thread_local Memory memory;
    return memory;
  }

  bool gives_back_;
};

size_t bytes_of(const std::vector<std::string>& tokens) {
  size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  return bytes;
}

}  // namespace

struct Tokenizer::State {
  explicit State(TokenizerParts read) : parts(std::move(read)), pipeline(parts) {
    for (const AddedToken& token : parts.added_tokens) {
      added_by_id[token.id] = &token;
      added_by_content[token.content] = token.id;
    }
    static constexpr const char* kModels[] = {"WordPiece", "BPE", "Unigram"};  // of ModelOptions
    facts = {kModels[parts.model.index()], parts.source};
  }
  State(const State&) = delete;  // the pipeline refers to the parts

  bool cuts_left(const EncodeOptions& options) const {
    return options.side.value_or(parts.truncation_side) == TruncationSide::left;
  }

  // Appends the ids of `text`; returns whether there were more than `room`.
  bool append(std::string_view text, size_t room, const EncodeOptions& options,
              std::vector<int32_t>& ids) const {
    const size_t size = ids.size();
    const size_t most =
        room < EncodeOptions::kNoLimit - size ? size + room : EncodeOptions::kNoLimit;
    const bool left = cuts_left(options);
    const Workspace workspace(text.size());
    pipeline.encode(text, left ? EncodeOptions::kNoLimit : one_more(most),
                    options.encode_special_tokens, workspace.text(), ids);
    if (ids.size() <= most) return false;
    if (room > 0) refuse_only_second(options);
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(size);
    if (left) ids.erase(begin, ids.end() - static_cast<std::ptrdiff_t>(room));
    ids.resize(most);
    return true;
  }

  // Puts the ids of two texts into the workspace, and says how many of each stay.
  PairLengths encode(std::string_view first_text, std::string_view second_text, size_t room,
                     const EncodeOptions& options, const Workspace& workspace) const {
    std::vector<int32_t>&first = workspace.ids(0), &second = workspace.ids(1);
    const auto encode_until = [&](size_t enough) {
      first.clear();
      second.clear();
      pipeline.encode(first_text, enough, options.encode_special_tokens, workspace.text(), first);
      pipeline.encode(second_text, enough, options.encode_special_tokens, workspace.text(), second);
    };
    encode_until(cuts_left(options) ? EncodeOptions::kNoLimit : one_more(room));
    // Which of the two is longer decides who gets an odd id.
    if (!cuts_left(options) && first.size() > room && second.size() > room && room % 2 == 1 &&
        options.strategy == TruncationStrategy::longest_first)
      encode_until(EncodeOptions::kNoLimit);
    return truncate_pair({first.size(), second.size()}, room, options.strategy);
  }

  TokenizerParts parts;
  TextPipeline pipeline;
  std::unordered_map<int32_t, const AddedToken*> added_by_id;
  std::unordered_map<std::string_view, int32_t> added_by_content;
  TokenizerFacts facts;
};

Tokenizer Tokenizer::open(const std::filesystem::path& path, const TokenizerOptions& options) {
  TokenizerParts parts = read_tokenizer(path);
  for (const std::string& token : options.special_tokens) make_special(parts, token);
  if (options.lower_case && !headway::lowercases(parts.normalizers)) {
    parts.normalizers.emplace_back(std::in_place_type<Lowercase>);
    std::rotate(parts.normalizers.begin(), parts.normalizers.end() - 1, parts.normalizers.end());
  }
  return Tokenizer(std::make_shared<const State>(std::move(parts)));
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  if (options.offsets)
    return encode_with_offsets(state_->parts, state_->pipeline, Workspace(text.size()).text(),
                               {text}, options);
  Encoding encoding;
  encoding.truncated = encode_append(text, options, encoding.ids);
  return encoding;
}

bool Tokenizer::encode_append(std::string_view text, const EncodeOptions& options,
                              std::vector<int32_t>& ids) const {
  const size_t room = room_for_texts(special_tokens(), options);
  const size_t begin = ids.size();
  try {
    bool truncated = false;
    for (const TemplatePiece& piece : state_->parts.post_processor.single) {
      if (piece.kind != TemplatePiece::Kind::special) {
        truncated = state_->append(text, room, options, ids);
      } else if (options.add_special_tokens) {
        ids.push_back(piece.id);
      }
    }
    return truncated;
  } catch (...) {  // nothing half-written
    ids.resize(begin);
    throw;
  }
}

Encoding Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                const EncodeOptions& options) const {
  if (options.offsets)
    return encode_with_offsets(state_->parts, state_->pipeline,
                               Workspace(first.size() + second.size()).text(), {first, second},
                               options);
  Encoding encoding;
  encoding.truncated = encode_pair_append(first, second, options, encoding.ids, encoding.type_ids);
  return encoding;
}

bool Tokenizer::encode_pair_append(std::string_view first, std::string_view second,
                                   const EncodeOptions& options, std::vector<int32_t>& ids,
                                   std::vector<int32_t>& type_ids) const {
  const PostProcessor& around = state_->parts.post_processor;
  check_pair_template(state_->parts);
  const size_t room = room_for_texts(pair_special_tokens(), options);
  const Workspace workspace(first.size() + second.size());
  const std::vector<int32_t>&first_ids = workspace.ids(0), &second_ids = workspace.ids(1);
  const PairLengths kept = state_->encode(first, second, room, options, workspace);
  const bool left = state_->cuts_left(options);
  const size_t begin = ids.size(), types_begin = type_ids.size();
  try {
    for (const PostTemplate& part : around.pair) {
      for (const TemplatePiece& piece : part) {
        if (piece.kind == TemplatePiece::Kind::special) {
          if (!options.add_special_tokens) continue;
          ids.push_back(piece.id);
          type_ids.push_back(piece.type_id);
          continue;
        }
        const bool is_first = piece.kind == TemplatePiece::Kind::first;
        const std::vector<int32_t>& all = is_first ? first_ids : second_ids;
        const size_t count = is_first ? kept.first : kept.second;
        const int32_t* const from = all.data() + (left ? all.size() - count : 0);
        ids.insert(ids.end(), from, from + count);
        type_ids.insert(type_ids.end(), count, piece.type_id);
      }
    }
  } catch (...) {  // out of memory: nothing half-written
    ids.resize(begin);
    type_ids.resize(types_begin);
    throw;
  }
  return kept.first < first_ids.size() || kept.second < second_ids.size();
}

std::vector<Encoding> Tokenizer::encode_windows(std::string_view text, size_t stride,
                                                const EncodeOptions& options) const {
  return encode_in_windows(state_->parts, state_->pipeline, Workspace(text.size()).text(), {text},
                           stride, options);
}

std::vector<Encoding> Tokenizer::encode_pair_windows(std::string_view first,
                                                     std::string_view second, size_t stride,
                                                     const EncodeOptions& options) const {
  return encode_in_windows(state_->parts, state_->pipeline,
                           Workspace(first.size() + second.size()).text(), {first, second}, stride,
                           options);
}

size_t Tokenizer::special_tokens() const {
  return count_special_tokens(state_->parts.post_processor.single);
}

size_t Tokenizer::pair_special_tokens() const {
  return state_->parts.post_processor.pair_special_tokens();
}

int32_t Tokenizer::vocab_size() const {
  int32_t end = state_->parts.vocabulary.end_id();
  for (const AddedToken& token : state_->parts.added_tokens) end = std::max(end, token.id + 1);
  return end;
}

std::optional<int64_t> Tokenizer::model_max_length() const {
  return state_->parts.model_max_length;
}

bool Tokenizer::ends_with_special_token() const {
  const auto& single = state_->parts.post_processor.single;
  return !single.empty() && single.back().kind == TemplatePiece::Kind::special;
}

bool Tokenizer::lowercases() const {
  return headway::lowercases(state_->parts.normalizers);
}

const TokenizerFacts& Tokenizer::facts() const {
  return state_->facts;
}

bool Tokenizer::marks_subwords() const {
  const ModelOptions& model = state_->parts.model;
  if (const auto* pieces = std::get_if<WordPieceOptions>(&model)) return !pieces->prefix.empty();
  if (const auto* bpe = std::get_if<BpeOptions>(&model)) return !bpe->prefix.empty();
  return false;
}

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const {
  const auto added = state_->added_by_content.find(token);
  if (added != state_->added_by_content.end()) return added->second;
  if (token.empty()) return std::nullopt;
  return state_->parts.vocabulary.find(token);
}

std::optional<std::string_view> Tokenizer::id_to_token(int32_t id) const {
  const auto added = state_->added_by_id.find(id);
  if (added != state_->added_by_id.end()) return added->second->content;
  return state_->parts.vocabulary.token(id);
}

std::optional<int32_t> Tokenizer::special_token(std::string_view role) const {
  const auto named = state_->parts.roles.find(std::string(role));
  return named == state_->parts.roles.end() ? std::nullopt : token_to_id(named->second);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    const auto added = state_->added_by_id.find(id);
    if (added != state_->added_by_id.end()) {
      if (!skip_special_tokens || !added->second->special) tokens.push_back(added->second->content);
    } else if (const auto token = state_->parts.vocabulary.token(id)) {
      tokens.emplace_back(*token);
    } else if (id == state_->parts.empty_token) {
      tokens.emplace_back();
    }
  }
  return join(std::move(tokens));
}

std::string Tokenizer::join(std::vector<std::string> tokens) const {
  const auto& decoders = state_->parts.decoders;
  const bool spaced = !decoders;
  if (decoders) {
    WorkBudget budget(bytes_of(tokens));
    for (const Decoder& decoder : *decoders) {
      std::visit([&](const auto& step) { step.apply(tokens, budget); }, decoder);
      budget.take(bytes_of(tokens));
    }
  }
  std::string text;
  for (const std::string& token : tokens) {
    if (spaced && &token != &tokens.front()) text += ' ';
    text += token;
  }
  return text;
}

}  // namespace headway
