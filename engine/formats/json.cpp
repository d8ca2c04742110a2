// Parses JSON with simdjson and lays the result out for JsonNode. The only file that knows
// simdjson.
#include "engine/formats/json.hpp"

#include <simdjson.h>

#include <deque>
#include <utility>

#include "engine/base/message.hpp"
#include "engine/formats/json_document.hpp"
#include "engine/formats/json_scan.hpp"
#include "engine/platform/file.hpp"

namespace headway {
namespace {

using json_internal::Document;
using json_internal::Node;
using simdjson::dom::element;
using simdjson::dom::element_type;

std::string problem_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "it is empty";
    case simdjson::UTF8_ERROR:
      return "it is not valid UTF-8";
    case simdjson::STRING_ERROR:
      return "a string holds a wrong escape sequence or half of a surrogate pair";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed or beyond the range of a double";
    case simdjson::UNESCAPED_CHARS:
      return "a string holds a control character that must be escaped";
    case simdjson::UNCLOSED_STRING:
      return "a string is never closed (is the file cut off?)";
    case simdjson::TAPE_ERROR:
      return "a comma, brace, bracket or value is missing or too many (is the file cut off?)";
    default:
      return simdjson::error_message(error);
  }
}

[[noreturn]] void fail_parse(const std::string& name, simdjson::error_code error) {
  const bool memory = error == simdjson::MEMALLOC || error == simdjson::CAPACITY;
  fail(memory ? ErrorCode::limit : ErrorCode::format, name,
       ": cannot be read as JSON: ", problem_of(error));
}

// The value as T, which its type() said it is.
template <typename T>
T value_of(element value) {
  T result{};
  if (value.get(result))
    fail(ErrorCode::internal, "the JSON parser holds another type than it told");
  return result;
}

// Copies the parser's tree into document.nodes, level by level: so the children of a value lie
// side by side, and nothing recurses.
class Builder {
 public:
  explicit Builder(Document& document) : document_(document) {}

  void build(element root) {
    add(root, {}, 0);
    while (!pending_.empty()) {
      const auto [index, container] = pending_.front();
      pending_.pop_front();
      const auto first = static_cast<uint32_t>(document_.nodes.size());
      if (container.is_array()) {
        const auto array = value_of<simdjson::dom::array>(container);
        for (element child : array) add(child, {}, index);
      } else {
        const auto object = value_of<simdjson::dom::object>(container);
        for (auto member : object) add(member.value, member.key, index);
      }
      Node& node = document_.nodes[index];
      node.children.first = first;
      node.children.count = static_cast<uint32_t>(document_.nodes.size()) - first;
      if (node.kind == JsonKind::object) json_internal::index_members(document_, index);
    }
  }

 private:
  void add(element value, std::string_view key, uint32_t parent) {
    const size_t index = document_.nodes.size();
    if (index == Json::kMaxNodes)
      fail(ErrorCode::limit, document_.name, ": more than ", Json::kMaxNodes, " JSON values");
    Node node{};
    node.key = key;
    node.parent = parent;
    switch (value.type()) {
      case element_type::NULL_VALUE:
        node.kind = JsonKind::null;
        break;
      case element_type::BOOL:
        node.kind = JsonKind::boolean;
        node.boolean = value_of<bool>(value);
        break;
      case element_type::INT64:
        node.kind = JsonKind::integer;
        node.integer = value_of<int64_t>(value);
        break;
      case element_type::UINT64:
      case element_type::DOUBLE:
        node.kind = JsonKind::number;
        node.number = value_of<double>(value);
        break;
      case element_type::STRING: {
        node.kind = JsonKind::string;
        const auto text = value_of<std::string_view>(value);
        node.string = {text.data(), text.size()};
        break;
      }
      case element_type::ARRAY:
        node.kind = JsonKind::array;
        pending_.emplace_back(static_cast<uint32_t>(index), value);
        break;
      case element_type::OBJECT:
        node.kind = JsonKind::object;
        pending_.emplace_back(static_cast<uint32_t>(index), value);
        break;
    }
    document_.nodes.push_back(node);
  }

  Document& document_;
  std::deque<std::pair<uint32_t, element>> pending_;
};

}  // namespace

Json Json::read_file(const std::string& path, size_t max_bytes) {
  return parse(headway::read_file(path, max_bytes), path);
}

Json Json::parse(std::string_view text, std::string name) {
  std::string scanned;
  scanned.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  scan_json(text, name, kMaxDepth, scanned);
  const size_t length = scanned.size();
  scanned.append(simdjson::SIMDJSON_PADDING, ' ');

  auto document = std::make_shared<Document>();
  document->name = std::move(name);
  auto parsed = std::make_shared<simdjson::dom::document>();
  {
    simdjson::dom::parser parser;
    element root;
    const auto error =
        parser.parse_into_document(*parsed, scanned.data(), length, /*realloc_if_needed=*/false)
            .get(root);
    if (error) fail_parse(document->name, error);
    Builder(*document).build(root);
  }
  // Keys and strings point into the parser's document.
  document->strings = std::move(parsed);
  return Json(std::move(document));
}

const std::string& Json::name() const {
  return document_->name;
}

}  // namespace headway
