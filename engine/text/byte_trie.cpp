// Building the trie.
#include "engine/text/byte_trie.hpp"

#include "engine/base/message.hpp"

namespace headway {
namespace {

// A node and a byte share 32 bits in a key.
constexpr size_t kMaxNodes = size_t{1} << 24;

}  // namespace

ByteTrie::ByteTrie() : edges_(256, Edge{0, 0}), values_{-1}, mask_(255), shift_(24) {}

bool ByteTrie::insert(std::string_view key, int32_t value) {
  uint32_t node = kRoot;
  for (const char byte : key) {
    uint32_t next = child(node, static_cast<unsigned char>(byte));
    if (next == kNone) {
      if (values_.size() == kMaxNodes)
        fail(ErrorCode::limit, "vocabulary: its tokens need more than ", kMaxNodes, " trie nodes");
      next = static_cast<uint32_t>(values_.size());
      values_.push_back(-1);
      if (values_.size() * 2 > edges_.size()) grow();
      place({node << 8 | static_cast<unsigned char>(byte), next});
    }
    node = next;
  }
  if (values_[node] >= 0) return false;
  values_[node] = value;
  return true;
}

uint32_t ByteTrie::find(std::string_view key, uint32_t node) const {
  for (const char byte : key) {
    if (node == kNone) return kNone;
    node = child(node, static_cast<unsigned char>(byte));
  }
  return node;
}

void ByteTrie::grow() {
  std::vector<Edge> old(edges_.size() * 2, Edge{0, 0});
  old.swap(edges_);
  mask_ = edges_.size() - 1;
  --shift_;
  for (const Edge& edge : old)
    if (edge.child != 0) place(edge);
}

void ByteTrie::place(Edge edge) {
  size_t slot = hash(edge.key) >> shift_;
  while (edges_[slot].child != 0) slot = (slot + 1) & mask_;
  edges_[slot] = edge;
}

}  // namespace headway
