// The tokens of a model and their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/byte_trie.hpp"

namespace headway {

// Ids beyond this are damage: embedding tables have fewer rows, and ids index an array here.
constexpr int32_t kMaxTokenId = (1 << 24) - 1;

// Searches for the longest token take the time of its length at each place. Those of published
// files have up to 512 bytes.
constexpr size_t kMaxTokenBytes = 4096;

// Filled first, then read from any number of threads.
class Vocabulary {
 public:
  enum class Added { yes, duplicate_token, duplicate_id };

  // `id` in [0, kMaxTokenId], `token` not empty; adds nothing when one of the two is there already.
  Added add(std::string_view token, int32_t id);

  std::optional<int32_t> find(std::string_view token) const;
  std::optional<std::string_view> token(int32_t id) const;
  size_t size() const { return size_; }
  // One more than the greatest id.
  int32_t end_id() const { return static_cast<int32_t>(spans_.size()); }
  const ByteTrie& trie() const { return trie_; }

 private:
  struct Span {
    uint32_t offset = 0;
    uint32_t length = 0;  // 0: no token has this id
  };

  ByteTrie trie_;
  std::string pool_;         // all tokens, one after the other
  std::vector<Span> spans_;  // by id
  size_t size_ = 0;
};

}  // namespace headway
