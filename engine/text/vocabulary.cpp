// Filling and asking the vocabulary.
#include "engine/text/vocabulary.hpp"

#include "engine/base/checked.hpp"

namespace headway {

Vocabulary::Added Vocabulary::add(std::string_view token, int32_t id) {
  const auto index = static_cast<size_t>(id);
  if (index < spans_.size() && spans_[index].length != 0) return Added::duplicate_id;
  if (!trie_.insert(token, id)) return Added::duplicate_token;
  if (index >= spans_.size()) spans_.resize(index + 1);
  spans_[index] = {checked_cast<uint32_t>(pool_.size(), "vocabulary: bytes of all tokens"),
                   checked_cast<uint32_t>(token.size(), "vocabulary: bytes of a token")};
  pool_ += token;
  ++size_;
  return Added::yes;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  const uint32_t node = trie_.find(token);
  if (node == ByteTrie::kNone || trie_.value(node) < 0) return std::nullopt;
  return trie_.value(node);
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= end_id() || spans_[id].length == 0) return std::nullopt;
  return std::string_view(pool_).substr(spans_[id].offset, spans_[id].length);
}

}  // namespace headway
