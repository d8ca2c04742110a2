// The public tokenizer over the pipeline.
#include "headway/tokenizer.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/text/text_pipeline.hpp"
#include "engine/text/tokenizer_parts.hpp"

namespace headway {

struct Tokenizer::State {
  explicit State(TokenizerParts read) : parts(std::move(read)), pipeline(parts) {}
  State(const State&) = delete;  // the pipeline refers to the parts

  TokenizerParts parts;
  TextPipeline pipeline;
};

Tokenizer Tokenizer::open(const std::filesystem::path& model_directory) {
  return Tokenizer(std::make_shared<const State>(read_tokenizer(model_directory)));
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  Encoding encoding;
  encoding.truncated = encode_append(text, options, encoding.ids);
  return encoding;
}

bool Tokenizer::encode_append(std::string_view text, const EncodeOptions& options,
                              std::vector<int32_t>& ids) const {
  thread_local TextWorkspace workspace;
  const TokenizerParts& parts = state_->parts;
  const size_t specials = options.add_special_tokens ? special_tokens() : 0;
  if (options.max_length < specials)
    fail(ErrorCode::invalid_argument, "max_length: expected at least ", specials,
         ", the number of special tokens, found ", options.max_length);
  const size_t begin = ids.size();
  if (options.add_special_tokens) ids.insert(ids.end(), parts.before.begin(), parts.before.end());
  // One id more than fits shows that the text is too long.
  const size_t room = options.max_length - specials;
  const size_t size = ids.size();
  const size_t most = room < EncodeOptions::kNoLimit - size ? size + room : EncodeOptions::kNoLimit;
  const size_t enough = most < EncodeOptions::kNoLimit ? most + 1 : most;
  try {
    state_->pipeline.encode(text, enough, options.encode_special_tokens, workspace, ids);
    const bool truncated = ids.size() > most;
    if (truncated) ids.resize(most);
    if (options.add_special_tokens) ids.insert(ids.end(), parts.after.begin(), parts.after.end());
    return truncated;
  } catch (...) {  // out of memory: nothing half-written
    ids.resize(begin);
    throw;
  }
}

size_t Tokenizer::special_tokens() const {
  return state_->parts.before.size() + state_->parts.after.size();
}

int32_t Tokenizer::vocab_size() const {
  int32_t end = state_->parts.vocabulary.end_id();
  for (const AddedToken& token : state_->parts.added_tokens) end = std::max(end, token.id + 1);
  return end;
}

std::optional<int64_t> Tokenizer::model_max_length() const {
  return state_->parts.model_max_length;
}

bool Tokenizer::lowercases() const {
  return headway::lowercases(state_->parts.normalizers);
}

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const {
  for (const AddedToken& added : state_->parts.added_tokens)
    if (added.content == token) return added.id;
  if (token.empty()) return std::nullopt;
  return state_->parts.vocabulary.find(token);
}

std::optional<std::string_view> Tokenizer::id_to_token(int32_t id) const {
  for (const AddedToken& added : state_->parts.added_tokens)
    if (added.id == id) return added.content;
  return state_->parts.vocabulary.token(id);
}

}  // namespace headway
