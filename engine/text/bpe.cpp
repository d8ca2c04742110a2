// Characters to symbols, then the merges.
#include "engine/text/bpe.hpp"

#include <algorithm>
#include <bit>

#include "engine/base/message.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// Up to here a scan for the lowest rank after every merge beats the queue.
constexpr size_t kFew = 40;

// What stands for a space in tokenizers of SentencePiece's kind: U+2581.
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

// Fibonacci hashing: the top bits of the product.
size_t pair_slot(uint64_t key, int shift) {
  return static_cast<size_t>((key ^ key >> 32) * 0x9E3779B97F4A7C15 >> shift);
}

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, const BpeOptions& options)
    : vocabulary_(&vocabulary),
      unknown_(options.unknown),
      prefix_(options.prefix),
      suffix_(options.suffix),
      prefix_node_(vocabulary.trie().find(prefix_)),
      fuse_unknown_(options.fuse_unknown),
      byte_fallback_(options.byte_fallback),
      whole_words_first_(options.whole_words_first),
      bytes_(byte_tokens(vocabulary)) {
  const size_t slots = std::bit_ceil(std::max<size_t>(2, 2 * options.merges.size()));
  pairs_.assign(slots, Pair{0, kNoRank});
  shift_ = 64 - std::countr_zero(slots);
  for (const BpeOptions::Merge& merge : options.merges) {
    const uint64_t key = pair_key(merge.left, merge.right);
    size_t slot = pair_slot(key, shift_);
    while (pairs_[slot].rank != kNoRank && pairs_[slot].key != key) slot = (slot + 1) % slots;
    pairs_[slot] = {key, static_cast<uint32_t>(joined_.size())};
    joined_.push_back(merge.joined);
  }
  parts_ = find_parts(options);
  known_ = std::make_unique<std::atomic<uint8_t>[]>(static_cast<size_t>(vocabulary.end_id()));
}

// Files of that kind often have no pre-tokenizer, so that a word is a whole text; but their merges
// were learned within words, so that none joins something to a space behind it. Where that holds
// for all of them, a text may be cut before its spaces: time is linear then, and most parts are
// tokens.
bool Bpe::find_parts(const BpeOptions& options) const {
  if (!prefix_.empty() || !suffix_.empty() || whole_words_first_ || !vocabulary_->find(kSpaceMark))
    return false;
  return std::none_of(options.merges.begin(), options.merges.end(),
                      [&](const BpeOptions::Merge& merge) {
                        std::string_view token = *vocabulary_->token(merge.joined);
                        while (token.starts_with(kSpaceMark))
                          token.remove_prefix(kSpaceMark.size());
                        return token.find(kSpaceMark) != std::string_view::npos;
                      });
}

template <typename Encode>
void Bpe::for_each_part(std::string_view word, Encode&& encode) const {
  if (word.size() >= UINT32_MAX) fail(ErrorCode::limit, "a word of 4 GB or more");
  size_t begin = 0;
  for (size_t at = 0; parts_ && (at = word.find(kSpaceMark, at + 1)) != std::string_view::npos;) {
    if (word.substr(0, at).ends_with(kSpaceMark)) continue;
    encode(begin, at);
    begin = at;
  }
  encode(begin, word.size());
}

void Bpe::encode(std::string_view word, Memory& memory, std::vector<int32_t>& ids) const {
  for_each_part(word, [&](size_t begin, size_t end) {
    encode_part(word.substr(begin, end - begin), memory, ids);
  });
}

void Bpe::encode_spans(std::string_view word, Memory& memory, std::vector<int32_t>& ids,
                       std::vector<ByteSpan>& spans) const {
  for_each_part(word, [&](size_t begin, size_t end) {
    const std::string_view part = word.substr(begin, end - begin);
    const size_t before = ids.size(), spans_before = spans.size();
    encode_part(part, memory, ids);
    append_spans(part, std::span(ids).subspan(before), memory, spans);
    for (ByteSpan& span : std::span(spans).subspan(spans_before))
      span = {begin + span.begin, begin + span.end};
  });
}

// Goes through the characters again: those that became one token add up to its text. A character
// without a token is not counted, so that what follows lies too far to the left, as in the
// reference.
void Bpe::append_spans(std::string_view word, std::span<const int32_t> ids, Memory& memory,
                       std::vector<ByteSpan>& spans) const {
  if (ids.size() == 1 && whole_words_first_ && vocabulary_->find(word) == ids[0])
    return spans.push_back({0, word.size()});
  read_characters<true>(word, memory);
  const auto size_of = [&](int32_t id) { return vocabulary_->token(id)->size(); };
  const size_t count = memory.ids.size();
  size_t next = 0, end = 0;
  for (const int32_t id : ids) {
    const size_t begin = end;
    size_t size = 0;
    // `next` stays in bounds whatever the merges of a damaged file are.
    for (bool joined = true; joined && size < size_of(id) && next < count; ++next) {
      joined = size > 0 || memory.ids[next] != id;
      size += size_of(memory.ids[next]) - (size > 0 ? prefix_.size() : 0);
      end += memory.lengths[next];
    }
    // Bytes that stand for the prefix are counted too.
    spans.push_back({std::min(begin, word.size()), std::min(end, word.size())});
  }
}

void Bpe::encode_part(std::string_view word, Memory& memory, std::vector<int32_t>& ids) const {
  const std::optional<int32_t> whole = vocabulary_->find(word);
  if (whole) {
    // The answer is the same whoever finds it first.
    const uint8_t known = known_[static_cast<size_t>(*whole)].load(std::memory_order_relaxed);
    if (whole_words_first_ || known == kItself) return ids.push_back(*whole);
  }
  read_characters<false>(word, memory);
  if (memory.ids.size() <= kFew) {
    merge_few(memory);
  } else if (!merge_runs(memory)) {
    merge_many(memory);
  }
  if (whole) {
    const bool itself = memory.ids.size() == 1 && memory.ids[0] == *whole;
    known_[static_cast<size_t>(*whole)].store(itself ? kItself : kOther, std::memory_order_relaxed);
  }
  ids.insert(ids.end(), memory.ids.begin(), memory.ids.end());
}

uint32_t Bpe::rank(int32_t left, int32_t right) const {
  const uint64_t key = pair_key(left, right);
  for (size_t slot = pair_slot(key, shift_);; slot = (slot + 1) & (pairs_.size() - 1)) {
    const Pair& pair = pairs_[slot];
    if (pair.rank == kNoRank || pair.key == key) return pair.rank;
  }
}

// The tokens that the merges start from, and how many bytes of the word each stands for.
template <bool lengths>
void Bpe::read_characters(std::string_view word, Memory& memory) const {
  std::vector<int32_t>& ids = memory.ids;
  ids.clear();
  if constexpr (lengths) memory.lengths.clear();
  const auto count = [&]([[maybe_unused]] size_t length) {
    if constexpr (lengths) memory.lengths.resize(ids.size(), length);
  };
  bool unknown = false;  // an unknown token is due, before the next token that is none
  size_t unknown_length = 0;
  const auto put_unknown = [&] {
    ids.push_back(*unknown_);
    count(unknown_length);
    unknown_length = 0;
  };
  const ByteTrie& trie = vocabulary_->trie();
  const char* const end = word.data() + word.size();
  for (const char* p = word.data(); p < end;) {
    const char* const start = p;
    decode_utf8(p, end);
    const auto length = static_cast<size_t>(p - start);
    const std::string_view character(start, length);
    const bool prefixed = !prefix_.empty() && start != word.data();
    const bool suffixed = !suffix_.empty() && p == end;
    uint32_t node = trie.find(character, prefixed ? prefix_node_ : ByteTrie::kRoot);
    if (suffixed) node = trie.find(suffix_, node);
    if (const int32_t id = node == ByteTrie::kNone ? -1 : trie.value(node); id >= 0) {
      if (unknown) put_unknown();
      unknown = false;
      ids.push_back(id);
      count(length);
    } else if (byte_fallback_ && append_bytes(character, prefixed, suffixed, ids)) {
      count(1);
    } else {
      if (!unknown_) continue;
      if (unknown && !fuse_unknown_) put_unknown();
      unknown = true;
      unknown_length += length;
    }
  }
  if (unknown) put_unknown();
}

// The bytes of a character with what the file puts around it; false when one has no token.
bool Bpe::append_bytes(std::string_view character, bool prefixed, bool suffixed,
                       std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  for (const std::string_view text :
       {prefixed ? std::string_view(prefix_) : std::string_view(), character,
        suffixed ? std::string_view(suffix_) : std::string_view()}) {
    if (append_byte_tokens(bytes_, text, ids)) continue;
    ids.resize(before);
    return false;
  }
  return true;
}

void Bpe::merge_few(Memory& memory) const {
  std::vector<int32_t>& ids = memory.ids;
  std::vector<uint32_t>& ranks = memory.ranks;  // of each symbol and the next
  ranks.clear();
  for (size_t i = 1; i < ids.size(); ++i) ranks.push_back(rank(ids[i - 1], ids[i]));
  while (!ranks.empty()) {
    const auto lowest = std::min_element(ranks.begin(), ranks.end());
    if (*lowest == kNoRank) return;
    const auto i = lowest - ranks.begin();
    ids[static_cast<size_t>(i)] = joined_[*lowest];
    ids.erase(ids.begin() + i + 1);
    ranks.erase(lowest);
    const auto at = static_cast<size_t>(i);
    if (at > 0) ranks[at - 1] = rank(ids[at - 1], ids[at]);
    if (at < ranks.size()) ranks[at] = rank(ids[at], ids[at + 1]);
  }
}

void Bpe::merge_many(Memory& memory) const {
  std::vector<Memory::Symbol>& symbols = memory.symbols;
  std::vector<uint32_t>& places = memory.places;
  MergeQueue& queue = memory.queue;
  queue.reset(joined_.size());
  symbols.clear();
  const auto count = static_cast<uint32_t>(memory.ids.size());
  for (uint32_t i = 0; i < count; ++i)
    symbols.push_back({memory.ids[i], i - 1, i + 1 < count ? i + 1 : kNone});
  // The merge of the symbol at `at` and the next, if there is one; returns its rank.
  const auto push = [&](uint32_t at) {
    if (at == kNone || symbols[at].next == kNone) return kNoRank;
    const uint32_t of_pair = rank(symbols[at].id, symbols[symbols[at].next].id);
    if (of_pair != kNoRank) queue.push(of_pair, at);
    return of_pair;
  };
  for (uint32_t i = 0; i < count; ++i) push(i);
  // Joins the symbols at `at`; returns the lower rank of the two pairs that this makes.
  const auto join = [&](uint32_t of_pair, uint32_t at) {
    Memory::Symbol& left = symbols[at];
    if (left.id == kGone || left.next == kNone) return kNoRank;
    Memory::Symbol& right = symbols[left.next];
    if (rank(left.id, right.id) != of_pair) return kNoRank;  // one has been joined since
    left.id = joined_[of_pair];
    left.next = right.next;
    right.id = kGone;
    if (left.next != kNone) symbols[left.next].previous = at;
    return std::min(push(left.previous), push(at));
  };
  while (!queue.empty()) {
    const uint32_t of_pair = queue.pop(places);
    for (size_t i = 0; i < places.size(); ++i) {
      if (join(of_pair, places[i]) > of_pair) continue;
      // A merge that comes before the others of this rank, which learned merges never bring about.
      while (++i < places.size()) queue.push(of_pair, places[i]);
      queue.order_all();
    }
  }
  memory.ids.clear();
  for (const Memory::Symbol& symbol : symbols)
    if (symbol.id != kGone) memory.ids.push_back(symbol.id);
}

}  // namespace headway
