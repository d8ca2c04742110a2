// The byte-pair encoding model: a word's characters, joined pair by pair in the order of a list.
//
// Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", 2016;
// behaviour of tokenizers 0.23.3, models/bpe/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/aligned_text.hpp"
#include "engine/text/byte_fallback.hpp"
#include "engine/text/merge_queue.hpp"
#include "engine/text/vocabulary.hpp"

namespace headway {

struct BpeOptions {
  struct Merge {
    int32_t left, right, joined;
  };
  std::vector<Merge> merges;       // earlier ones first; of equal pairs the last counts
  std::optional<int32_t> unknown;  // for a character without a token; without it that vanishes
  std::string prefix;              // before every character but a word's first
  std::string suffix;              // behind a word's last
  bool fuse_unknown = false;       // unknown characters in a row are one token
  bool byte_fallback = false;      // unknown characters become bytes, "<0x0A>"
  bool whole_words_first = false;  // a word that is a token is that (ignore_merges)
};

// Refers to the vocabulary it was made from. Any thread may use it, with a memory of its own.
class Bpe {
 public:
  class Memory {
    friend class Bpe;
    struct Symbol {
      int32_t id;  // kGone: joined to the one before
      uint32_t previous, next;
    };
    std::vector<int32_t> ids;
    std::vector<size_t> lengths;  // of the characters that ids are read from
    std::vector<uint32_t> ranks;
    struct Run {
      int32_t id;
      size_t count;
    };
    std::vector<Symbol> symbols;
    std::vector<Run> runs, merged_runs;
    MergeQueue queue;
    std::vector<uint32_t> places;
  };

  Bpe(const Vocabulary& vocabulary, const BpeOptions& options);

  // Appends the ids of `word`, not empty, valid UTF-8. Time linear in its bytes for merges that
  // were learned (MergeQueue). Error(limit) beyond 4 GB.
  void encode(std::string_view word, Memory& memory, std::vector<int32_t>& ids) const;
  // The same, and for each id the bytes of the word that it stands for.
  void encode_spans(std::string_view word, Memory& memory, std::vector<int32_t>& ids,
                    std::vector<ByteSpan>& spans) const;

 private:
  // What the merges make of a word that is a token, found out when it is first met.
  enum Known : uint8_t { kNotYet, kItself, kOther };

  static constexpr uint32_t kNoRank = UINT32_MAX;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr int32_t kGone = -1;

  uint32_t rank(int32_t left, int32_t right) const;
  bool find_parts(const BpeOptions& options) const;
  void encode_part(std::string_view word, Memory& memory, std::vector<int32_t>& ids) const;
  template <typename Encode>
  void for_each_part(std::string_view word, Encode&& encode) const;
  void append_spans(std::string_view word, std::span<const int32_t> ids, Memory& memory,
                    std::vector<ByteSpan>& spans) const;
  template <bool lengths>
  void read_characters(std::string_view word, Memory& memory) const;
  bool append_bytes(std::string_view character, bool prefixed, bool suffixed,
                    std::vector<int32_t>& ids) const;
  void merge_few(Memory& memory) const;
  // False, changing no ids, for a word of many different symbols.
  bool merge_runs(Memory& memory) const;
  void merge_many(Memory& memory) const;

  struct Pair {
    uint64_t key;   // left << 32 | right
    uint32_t rank;  // kNoRank: free
  };

  const Vocabulary* vocabulary_;
  std::optional<int32_t> unknown_;
  std::string prefix_, suffix_;
  uint32_t prefix_node_;  // of the vocabulary's trie
  bool fuse_unknown_, byte_fallback_, whole_words_first_;
  bool parts_;  // no merge reaches over the start of a run of U+2581
  ByteTokens bytes_;
  std::vector<Pair> pairs_;      // open addressing; a power of two, at most half full
  int shift_;                    // 64 - log2(pairs_.size())
  std::vector<int32_t> joined_;  // by rank
  std::unique_ptr<std::atomic<uint8_t>[]> known_;  // by id
};

}  // namespace headway
