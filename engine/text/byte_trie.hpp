// A trie over bytes: which of a set of strings is the longest that a text starts with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headway {

// Nodes are numbers, edges lie in one open-addressing table keyed by (node, byte). Against a table
// of whole strings this asks once per byte instead of once per length to try, so the longest match
// takes linear time. Filled first, then read from any number of threads.
class ByteTrie {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  ByteTrie();

  // False, changing nothing, when `key` is there already. `value` is 0 or more, `key` not empty.
  // Error(limit) beyond 16 million nodes.
  bool insert(std::string_view key, int32_t value);

  // The node that `byte` leads to from `node`, or kNone.
  uint32_t child(uint32_t node, unsigned char byte) const {
    const uint32_t key = node << 8 | byte;
    for (size_t slot = hash(key) >> shift_;; slot = (slot + 1) & mask_) {
      const Edge& edge = edges_[slot];
      if (edge.child == 0) return kNone;  // the root is nobody's child, so 0 marks a free slot
      if (edge.key == key) return edge.child;
    }
  }

  // The value of the string that leads to `node`, or -1.
  int32_t value(uint32_t node) const { return values_[node]; }

  // The node that all of `key` leads to from `node`, or kNone; also from kNone.
  uint32_t find(std::string_view key, uint32_t node = kRoot) const;

 private:
  struct Edge {
    uint32_t key;
    uint32_t child;
  };

  // Fibonacci hashing: the top bits of the product, well spread for neighbouring keys.
  static uint32_t hash(uint32_t key) { return key * 2654435769u; }
  void grow();
  void place(Edge edge);

  std::vector<Edge> edges_;  // a power of two, at most half full
  std::vector<int32_t> values_;
  size_t mask_;
  int shift_;  // 32 - log2(edges_.size())
};

}  // namespace headway
