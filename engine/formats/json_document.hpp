// How a parsed document lies in memory: all values in one array, the children of a value side by
// side. Internal to json*.cpp; the parser's own types stay in json.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/json.hpp"

namespace headway::json_internal {

struct Node {
  std::string_view key;  // of an object's member
  union {
    bool boolean;
    int64_t integer;
    double number;
    struct {
      const char* data;
      size_t size;
    } string;
    struct {
      uint32_t first;   // index of the first child
      uint32_t count;   // of children
      uint32_t by_key;  // objects: where Document::by_key lists the children sorted by key
    } children;
  };
  uint32_t parent;  // the root is its own
  JsonKind kind;
};

struct Document {
  std::string name;
  std::vector<Node> nodes;              // the root first
  std::vector<uint32_t> by_key;         // node indices, see Node::children
  std::shared_ptr<const void> strings;  // owns the memory that keys and strings point to
};

// Sorts `object`'s children by key into document.by_key; Error(format) when two keys are equal.
void index_members(Document& document, uint32_t object);

// The path of a value as JsonNode::path shows it.
std::string path_of(const Document& document, uint32_t index);

}  // namespace headway::json_internal
