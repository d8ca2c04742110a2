// Reads JSON files that nobody vouches for (RFC 8259; the parser is simdjson).
//
//   const Json config = Json::read_file(directory + "/config.json");
//   const int64_t dim = config.root().at("hidden_size").as_int64(1, 1 << 20);
//   for (JsonNode entry : config.root().at("id2label").members()) use(entry.key(),
//   entry.as_string());
//
// Every failed read throws Error(format) with the file and the place:
//   config.json: field "hidden_size": expected an integer, found a string
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headway/error.hpp"

namespace headway {

namespace json_internal {
struct Document;
}

enum class JsonKind : uint8_t { null, boolean, integer, number, string, array, object };

class JsonChildren;

// One value of a document: two words, copied freely, valid as long as its Json. Immutable, so any
// thread may read.
class JsonNode {
 public:
  JsonKind kind() const;
  bool is_null() const { return kind() == JsonKind::null; }
  bool is_string() const { return kind() == JsonKind::string; }
  bool is_array() const { return kind() == JsonKind::array; }
  bool is_object() const { return kind() == JsonKind::object; }
  // Written without fraction and exponent, and in the range of int64.
  bool is_integer() const { return kind() == JsonKind::integer; }
  // A number outside int64, as hub files write "no limit" (`model_max_length` is often
  // 1000000000000000019884624838656): kind `number`, refused by as_int64, unset for get_limit.
  bool is_beyond_int64() const;

  // The value; Error(format) when it is of another kind. Strings are valid UTF-8 and may hold NUL;
  // they live as long as the Json.
  bool as_bool() const;
  int64_t as_int64() const;
  int64_t as_int64(int64_t min, int64_t max) const;  // also Error(format) outside [min, max]
  double as_double() const;                          // integers too; always finite
  std::string_view as_string() const;

  // Arrays and objects: the number of children (constant time) and the children in file order.
  size_t size() const;
  JsonChildren elements() const;            // of an array
  JsonChildren members() const;             // of an object; each child has its key()
  JsonNode operator[](size_t index) const;  // of an array, constant time; Error(format) beyond it
  std::string_view key() const;             // of a member; empty for everything else
  bool contains(std::string_view key) const { return find(key).has_value(); }
  std::optional<JsonNode> find(std::string_view key) const;  // of an object, logarithmic
  JsonNode at(std::string_view key) const;                   // Error(format) when missing

  // A member of an object that may be missing or null: `otherwise` then, else as as_*.
  bool get_bool(std::string_view key, bool otherwise) const;
  int64_t get_int(std::string_view key, int64_t otherwise) const;
  double get_double(std::string_view key, double otherwise) const;
  std::string_view get_string(std::string_view key, std::string_view otherwise) const;
  // A limit: nothing when missing, null or beyond int64 (is_beyond_int64), else as_int64.
  std::optional<int64_t> get_limit(std::string_view key) const;

  // The place in the document, as messages show it: model.layers[3].name; empty for the root.
  std::string path() const;
  // Throws Error(code): file, place and `problem`. For checks that the caller makes.
  [[noreturn]] void refuse(std::string_view problem, ErrorCode code = ErrorCode::format) const;

 private:
  friend class Json;
  friend class JsonChildren;
  JsonNode(const json_internal::Document* document, uint32_t index)
      : document_(document), index_(index) {}
  [[noreturn]] void expected(const char* what) const;
  std::optional<JsonNode> find_set(std::string_view key) const;

  const json_internal::Document* document_;
  uint32_t index_;
};

// The children of an array or object in file order, for range-for.
class JsonChildren {
 public:
  class Iterator {
   public:
    explicit Iterator(JsonNode node) : node_(node) {}
    JsonNode operator*() const { return node_; }
    Iterator& operator++() {
      ++node_.index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return node_.index_ == other.node_.index_; }

   private:
    friend class JsonChildren;
    JsonNode node_;
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class JsonNode;
  JsonChildren(JsonNode begin, JsonNode end) : begin_(begin), end_(end) {}
  Iterator begin_;
  Iterator end_;
};

// An owned document; copies share it. Refused with Error(format): anything but one JSON value,
// invalid UTF-8, escaped surrogates without their other half, duplicate keys (compared unescaped,
// in every object), NaN and Infinity, numbers beyond a double, and more than kMaxDepth levels.
// A UTF-8 byte order mark at the start is skipped. Error(limit): more than kMaxNodes values.
class Json {
 public:
  static constexpr size_t kMaxDepth = 64;
  // 40 bytes each: 320 MB at most. The largest tokenizer.json files have 2 million.
  static constexpr size_t kMaxNodes = size_t{1} << 23;
  static constexpr size_t kMaxBytes = size_t{128} << 20;

  // The file; errors of headway::read_file besides.
  static Json read_file(const std::string& path, size_t max_bytes = kMaxBytes);
  // `text`, which may go afterwards; `name` stands for the file in messages.
  static Json parse(std::string_view text, std::string name);

  JsonNode root() const { return JsonNode(document_.get(), 0); }
  const std::string& name() const;

 private:
  explicit Json(std::shared_ptr<const json_internal::Document> document)
      : document_(std::move(document)) {}
  std::shared_ptr<const json_internal::Document> document_;
};

}  // namespace headway
