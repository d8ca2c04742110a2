// Fields of config.json, checked.
#include "engine/models/config.hpp"

#include <optional>
#include <string>

#include "engine/base/message.hpp"

namespace headway {
namespace {

constexpr int64_t kMostWidth = 1 << 20;
constexpr int64_t kMostRows = int64_t{1} << 31;  // ids are 32 bits

template <typename Value>
[[noreturn]] void refuse(JsonNode field, const Value& value, const std::string& known) {
  field.refuse(cat(value, " is not supported; known: ", known), ErrorCode::unsupported);
}

int64_t read_number(JsonNode config, const char* field, int64_t otherwise, int64_t most) {
  const auto node = find_value(config, field);
  return node ? node->as_int64(1, most) : otherwise;
}

}  // namespace

std::optional<JsonNode> find_value(JsonNode config, const char* field) {
  const auto node = config.find(field);
  return node && node->is_null() ? std::nullopt : node;
}

Sizes read_sizes(JsonNode config, const SizeFields& fields) {
  const Sizes sizes{.vocabulary = config.at("vocab_size").as_int64(1, kMostRows),
                    .dim = config.at(fields.dim).as_int64(1, kMostWidth),
                    .layers = config.at(fields.layers).as_int64(1, kMostLayers),
                    .heads = config.at(fields.heads).as_int64(1, kMostWidth),
                    .inner = config.at(fields.inner).as_int64(1, kMostWidth),
                    .positions = read_size(config, fields.positions, 512)};
  if (sizes.dim % sizes.heads != 0)
    config.at(fields.dim)
        .refuse(cat(sizes.dim, " is not a multiple of field \"", fields.heads, "\" (", sizes.heads,
                    ")"));
  return sizes;
}

int64_t rotary_dims(JsonNode config, const Sizes& sizes, const SizeFields& fields) {
  const int64_t dims = sizes.dim / sizes.heads;
  if (dims % 2 != 0)
    config.at(fields.heads)
        .refuse(cat("heads of ", dims, " numbers cannot turn in pairs, expected an even number"));
  return dims;
}

int64_t read_size(JsonNode config, const char* field, int64_t otherwise) {
  return read_number(config, field, otherwise, kMostRows);
}
int64_t read_width(JsonNode config, const char* field, int64_t otherwise) {
  return read_number(config, field, otherwise, kMostWidth);
}
int64_t read_layers(JsonNode config, const char* field, int64_t otherwise) {
  return read_number(config, field, otherwise, kMostLayers);
}

int64_t read_row(JsonNode config, const char* field, int64_t otherwise, int64_t rows) {
  const auto node = find_value(config, field);
  return node ? node->as_int64(0, rows - 1) : otherwise;
}

float read_epsilon(JsonNode config, const char* field, double otherwise) {
  const auto node = find_value(config, field);
  if (!node) return static_cast<float>(otherwise);
  const double epsilon = node->as_double();
  if (!(epsilon > 0 && epsilon < 1)) node->refuse("expected a number between 0 and 1");
  return static_cast<float>(epsilon);
}

double read_positive(JsonNode config, const char* field, double otherwise) {
  const auto node = find_value(config, field);
  if (!node) return otherwise;
  const double value = node->as_double();
  if (!(value > 0)) node->refuse("expected a number above 0");
  return value;
}

Activation read_activation(JsonNode config, const char* field, const char* otherwise) {
  const std::string_view name = config.get_string(field, otherwise);
  if (name == "gelu") return Activation::gelu_erf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::gelu_tanh;
  if (name == "relu") return Activation::relu;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "tanh") return Activation::tanh;
  refuse(config.at(field), cat("\"", name, "\""),
         "gelu, gelu_new, gelu_pytorch_tanh, relu, silu, swish, tanh");
}

void expect_value(JsonNode config, const char* field,
                  std::initializer_list<std::string_view> known) {
  const auto node = find_value(config, field);
  if (!node) return;
  const std::string_view value = node->as_string();
  std::string names;
  for (const std::string_view name : known) {
    if (name == value) return;
    names += cat(names.empty() ? "" : ", ", name);
  }
  refuse(*node, cat("\"", value, "\""), names);
}

void expect_value(JsonNode config, const char* field, bool known) {
  const auto node = find_value(config, field);
  if (node && node->as_bool() != known)
    refuse(*node, known ? "false" : "true", known ? "true" : "false");
}

void expect_value(JsonNode config, const char* field, double known) {
  const auto node = find_value(config, field);
  if (node && node->as_double() != known) refuse(*node, node->as_double(), cat(known));
}

void expect_none(JsonNode config, const char* field) {
  if (const auto node = find_value(config, field)) refuse(*node, "a value", "null");
}

void expect_plain_encoder(JsonNode config) {
  expect_value(config, "position_embedding_type",
               std::initializer_list<std::string_view>{"absolute"});
  for (const char* field : {"is_decoder", "add_cross_attention"})
    expect_value(config, field, false);
}

}  // namespace headway
