// Reading a parsed document: kinds, lookup, paths and messages.
#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/formats/json_document.hpp"
#include "engine/formats/json_writer.hpp"

namespace headway {
namespace {

using json_internal::Document;
using json_internal::Node;

// Keys come from the file: escaped and cut, or one could fill a terminal with anything.
std::string shown_key(std::string_view key) {
  constexpr size_t kShown = 64;
  if (key.size() <= kShown) {
    const std::string quoted = json_escape(key);
    return quoted.substr(1, quoted.size() - 2);
  }
  size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(key[end]) & 0xC0) == 0x80) --end;
  return shown_key(key.substr(0, end)) + "...";
}

std::string found(const Node& node) {
  switch (node.kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return node.boolean ? "true" : "false";
    case JsonKind::integer:
      return std::to_string(node.integer);
    case JsonKind::number:
      return json_number(node.number);
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "something else";
}

// The first bytes as a number that sorts as they do: decides nearly all comparisons of keys
// without going to the keys themselves.
uint64_t sort_prefix(std::string_view key) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < sizeof(prefix); ++i)
    prefix = prefix << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
  return prefix;
}

}  // namespace

namespace json_internal {

// Sorting and not hashing, because no file can make it slow.
void index_members(Document& document, uint32_t object) {
  struct Entry {
    uint64_t prefix;
    uint32_t index;
  };
  const auto& children = document.nodes[object].children;
  std::vector<Entry> entries;
  entries.reserve(children.count);
  for (uint32_t i = children.first; i < children.first + children.count; ++i)
    entries.push_back({sort_prefix(document.nodes[i].key), i});
  const auto key = [&](const Entry& entry) { return document.nodes[entry.index].key; };
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : key(a) < key(b);
  });
  const auto twin = std::adjacent_find(
      entries.begin(), entries.end(),
      [&](const Entry& a, const Entry& b) { return a.prefix == b.prefix && key(a) == key(b); });
  if (twin != entries.end())
    fail(ErrorCode::format, document.name, ": field \"", path_of(document, twin->index),
         "\" appears twice");
  document.nodes[object].children.by_key = static_cast<uint32_t>(document.by_key.size());
  for (const Entry& entry : entries) document.by_key.push_back(entry.index);
}

std::string path_of(const Document& document, uint32_t index) {
  std::vector<uint32_t> way;
  for (; index != 0; index = document.nodes[index].parent) way.push_back(index);
  std::string path;
  for (auto it = way.rbegin(); it != way.rend(); ++it) {
    const Node& node = document.nodes[*it];
    const Node& parent = document.nodes[node.parent];
    if (parent.kind == JsonKind::array) {
      path += cat('[', *it - parent.children.first, ']');
    } else {
      if (!path.empty()) path += '.';
      path += shown_key(node.key);
    }
  }
  return path;
}

}  // namespace json_internal

JsonKind JsonNode::kind() const {
  return document_->nodes[index_].kind;
}

bool JsonNode::is_beyond_int64() const {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const Node& node = document_->nodes[index_];
  return node.kind == JsonKind::number && (node.number >= kLimit || node.number <= -kLimit);
}

std::string JsonNode::path() const {
  return json_internal::path_of(*document_, index_);
}

void JsonNode::refuse(std::string_view problem, ErrorCode code) const {
  if (index_ == 0) fail(code, document_->name, ": ", problem);
  fail(code, document_->name, ": field \"", path(), "\": ", problem);
}

void JsonNode::expected(const char* what) const {
  refuse(cat("expected ", what, ", found ", found(document_->nodes[index_])));
}

bool JsonNode::as_bool() const {
  if (kind() != JsonKind::boolean) expected("true or false");
  return document_->nodes[index_].boolean;
}

int64_t JsonNode::as_int64() const {
  if (kind() != JsonKind::integer)
    expected(is_beyond_int64() ? "an integer of 64 bits" : "an integer");
  return document_->nodes[index_].integer;
}

int64_t JsonNode::as_int64(int64_t min, int64_t max) const {
  const int64_t value = as_int64();
  if (value < min || value > max)
    refuse(cat("expected an integer from ", min, " to ", max, ", found ", value));
  return value;
}

double JsonNode::as_double() const {
  const Node& node = document_->nodes[index_];
  if (node.kind == JsonKind::integer) return static_cast<double>(node.integer);
  if (node.kind != JsonKind::number) expected("a number");
  return node.number;
}

std::string_view JsonNode::as_string() const {
  if (kind() != JsonKind::string) expected("a string");
  const auto& string = document_->nodes[index_].string;
  return {string.data, string.size};
}

size_t JsonNode::size() const {
  if (!is_array() && !is_object()) expected("an array or an object");
  return document_->nodes[index_].children.count;
}

JsonChildren JsonNode::elements() const {
  if (!is_array()) expected("an array");
  const auto& children = document_->nodes[index_].children;
  return {JsonNode(document_, children.first),
          JsonNode(document_, children.first + children.count)};
}

JsonChildren JsonNode::members() const {
  if (!is_object()) expected("an object");
  const auto& children = document_->nodes[index_].children;
  return {JsonNode(document_, children.first),
          JsonNode(document_, children.first + children.count)};
}

JsonNode JsonNode::operator[](size_t index) const {
  if (!is_array()) expected("an array");
  const auto& children = document_->nodes[index_].children;
  if (index >= children.count)
    refuse(cat("expected at least ", index + 1, " elements, found ", children.count));
  return JsonNode(document_, children.first + static_cast<uint32_t>(index));
}

std::string_view JsonNode::key() const {
  return document_->nodes[index_].key;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!is_object()) expected("an object");
  const auto& children = document_->nodes[index_].children;
  const auto begin = document_->by_key.begin() + children.by_key;
  const auto end = begin + children.count;
  const auto& nodes = document_->nodes;
  const auto it = std::lower_bound(begin, end, key, [&](uint32_t child, std::string_view wanted) {
    return nodes[child].key < wanted;
  });
  if (it == end || nodes[*it].key != key) return std::nullopt;
  return JsonNode(document_, *it);
}

JsonNode JsonNode::at(std::string_view key) const {
  const auto child = find(key);
  if (!child) {
    const std::string parent = path();
    fail(ErrorCode::format, document_->name, ": field \"", parent, parent.empty() ? "" : ".",
         shown_key(key), "\" is missing");
  }
  return *child;
}

std::optional<JsonNode> JsonNode::find_set(std::string_view key) const {
  const auto child = find(key);
  return child && child->is_null() ? std::nullopt : child;
}

bool JsonNode::get_bool(std::string_view key, bool otherwise) const {
  const auto child = find_set(key);
  return child ? child->as_bool() : otherwise;
}

int64_t JsonNode::get_int(std::string_view key, int64_t otherwise) const {
  const auto child = find_set(key);
  return child ? child->as_int64() : otherwise;
}

double JsonNode::get_double(std::string_view key, double otherwise) const {
  const auto child = find_set(key);
  return child ? child->as_double() : otherwise;
}

std::string_view JsonNode::get_string(std::string_view key, std::string_view otherwise) const {
  const auto child = find_set(key);
  return child ? child->as_string() : otherwise;
}

std::optional<int64_t> JsonNode::get_limit(std::string_view key) const {
  const auto child = find_set(key);
  if (!child || child->is_beyond_int64()) return std::nullopt;
  return child->as_int64();
}

}  // namespace headway
