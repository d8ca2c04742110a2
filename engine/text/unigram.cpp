// Viterbi, from the left.
#include "engine/text/unigram.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/message.hpp"
#include "engine/text/byte_fallback.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// How much worse than the worst piece an unknown character is.
constexpr double kUnknownPenalty = 10.0;

}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary, const UnigramOptions& options)
    : vocabulary_(&vocabulary),
      scores_(options.scores),
      unknown_(options.unknown),
      unknown_score_(*std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty),
      byte_fallback_(options.byte_fallback),
      bytes_(byte_tokens(vocabulary)) {}

// Calls append(begin, end, id) for the best pieces of `word`, last one first; without an id for
// unknown characters in a row, which are one piece.
template <typename Append>
void Unigram::walk(std::string_view word, Memory& memory, Append&& append) const {
  if (word.size() >= UINT32_MAX) fail(ErrorCode::limit, "a word of 4 GB or more");
  find_best(word, memory.nodes);
  size_t unknown_end = word.size();
  bool unknown = false;
  for (size_t end = word.size(); end > 0;) {
    const Memory::Node& node = memory.nodes[end];
    if (node.id == unknown_) {
      if (!unknown) unknown_end = end;
      unknown = true;
    } else {
      if (unknown) append(end, unknown_end, std::optional<int32_t>());
      unknown = false;
      append(end - node.length, end, std::optional(node.id));
    }
    end -= node.length;
  }
  if (unknown) append(size_t{0}, unknown_end, std::optional<int32_t>());
}

void Unigram::encode(std::string_view word, Memory& memory, std::vector<int32_t>& ids) const {
  memory.ids.clear();
  walk(word, memory, [&](size_t begin, size_t end, std::optional<int32_t> id) {
    id ? memory.ids.push_back(*id) : append_reversed(word.substr(begin, end - begin), memory.ids);
  });
  ids.insert(ids.end(), memory.ids.rbegin(), memory.ids.rend());
}

void Unigram::encode_spans(std::string_view word, Memory& memory, std::vector<int32_t>& ids,
                           std::vector<ByteSpan>& spans) const {
  memory.ids.clear();
  memory.spans.clear();
  walk(word, memory, [&](size_t begin, size_t end, std::optional<int32_t> id) {
    id ? memory.ids.push_back(*id) : append_reversed(word.substr(begin, end - begin), memory.ids);
    memory.spans.resize(memory.ids.size(), {begin, end});
  });
  ids.insert(ids.end(), memory.ids.rbegin(), memory.ids.rend());
  spans.insert(spans.end(), memory.spans.rbegin(), memory.spans.rend());
}

void Unigram::find_best(std::string_view word, std::vector<Memory::Node>& nodes) const {
  nodes.assign(word.size() + 1, Memory::Node{0, 0, 0});
  const ByteTrie& trie = vocabulary_->trie();
  const char* const end = word.data() + word.size();
  for (const char* p = word.data(); p < end;) {
    const char* const start = p;
    decode_utf8(p, end);
    const auto from = static_cast<size_t>(start - word.data());
    const auto char_length = static_cast<uint32_t>(p - start);
    const double score_here = nodes[from].score;
    const auto offer = [&](uint32_t length, double score, int32_t id) {
      Memory::Node& node = nodes[from + length];
      if (node.length == 0 || score + score_here > node.score)
        node = {score + score_here, length, id};
    };
    bool single = false;  // whether the character is a piece of its own
    uint32_t node = ByteTrie::kRoot;
    for (size_t at = from; at < word.size(); ++at) {
      node = trie.child(node, static_cast<unsigned char>(word[at]));
      if (node == ByteTrie::kNone) break;
      const int32_t id = trie.value(node);
      if (id < 0) continue;
      const auto length = static_cast<uint32_t>(at + 1 - from);
      offer(length, scores_[static_cast<size_t>(id)], id);
      single = single || length == char_length;
    }
    if (single) continue;
    if (!unknown_)
      fail(ErrorCode::invalid_argument, "text: the tokenizer has no token for \"",
           std::string_view(start, char_length), "\" and no unknown token");
    offer(char_length, unknown_score_, *unknown_);
  }
}

// The ids of unknown characters in a row, last one first.
void Unigram::append_reversed(std::string_view piece, std::vector<int32_t>& ids) const {
  if (const auto id = vocabulary_->find(piece)) return ids.push_back(*id);
  const size_t before = ids.size();
  if (byte_fallback_ && append_byte_tokens(bytes_, piece, ids)) {
    std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
  } else {
    ids.push_back(*unknown_);
  }
}

}  // namespace headway
