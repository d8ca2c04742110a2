// Fields of config.json, checked.
#include "engine/models/config.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "engine/base/message.hpp"

namespace headway {
namespace {

constexpr int64_t kMostLayers = 1 << 12;
constexpr int64_t kMostWidth = 1 << 20;
constexpr int64_t kMostRows = int64_t{1} << 31;  // ids are 32 bits

std::optional<JsonNode> given(const Json& config, const char* field) {
  auto node = config.root().find(field);
  if (node && node->is_null()) node.reset();
  return node;
}

template <typename Value>
[[noreturn]] void refuse(const Json& config, const char* field, const Value& value,
                         const std::string& known) {
  fail(ErrorCode::unsupported, config.name(), ": field \"", field, "\": ", value,
       " is not supported; known: ", known);
}

}  // namespace

Sizes read_sizes(const Json& json, const SizeFields& fields) {
  const JsonNode config = json.root();
  const Sizes sizes{.vocabulary = config.at("vocab_size").as_int64(1, kMostRows),
                    .dim = config.at(fields.dim).as_int64(1, kMostWidth),
                    .layers = config.at(fields.layers).as_int64(1, kMostLayers),
                    .heads = config.at(fields.heads).as_int64(1, kMostWidth),
                    .inner = config.at(fields.inner).as_int64(1, kMostWidth),
                    .positions = read_size(json, fields.positions, 512)};
  if (sizes.dim % sizes.heads != 0)
    fail(ErrorCode::format, json.name(), ": field \"", fields.dim, "\" (", sizes.dim,
         ") is not a multiple of field \"", fields.heads, "\" (", sizes.heads, ")");
  return sizes;
}

int64_t read_size(const Json& config, const char* field, int64_t otherwise) {
  const auto node = given(config, field);
  return node ? node->as_int64(1, kMostRows) : otherwise;
}

int64_t read_row(const Json& config, const char* field, int64_t otherwise, int64_t rows) {
  const auto node = given(config, field);
  return node ? node->as_int64(0, rows - 1) : otherwise;
}

float read_epsilon(const Json& config, const char* field, double otherwise) {
  const auto node = given(config, field);
  if (!node) return static_cast<float>(otherwise);
  const double epsilon = node->as_double();
  if (!(epsilon > 0 && epsilon < 1)) node->refuse("expected a number between 0 and 1");
  return static_cast<float>(epsilon);
}

double read_positive(const Json& config, const char* field, double otherwise) {
  const auto node = given(config, field);
  if (!node) return otherwise;
  const double value = node->as_double();
  if (!(value > 0) || !std::isfinite(value)) node->refuse("expected a number above 0");
  return value;
}

Activation read_activation(const Json& config, const char* field, const char* otherwise) {
  const std::string_view name = config.root().get_string(field, otherwise);
  if (name == "gelu") return Activation::gelu_erf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::gelu_tanh;
  if (name == "relu") return Activation::relu;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "tanh") return Activation::tanh;
  refuse(config, field, cat("\"", name, "\""),
         "gelu, gelu_new, gelu_pytorch_tanh, relu, silu, swish, tanh");
}

void expect_value(const Json& config, const char* field,
                  std::initializer_list<std::string_view> known) {
  const auto node = given(config, field);
  if (!node) return;
  const std::string_view value = node->as_string();
  std::string names;
  for (const std::string_view name : known) {
    if (name == value) return;
    names += cat(names.empty() ? "" : ", ", name);
  }
  refuse(config, field, cat("\"", value, "\""), names);
}

void expect_value(const Json& config, const char* field, bool known) {
  if (config.root().get_bool(field, known) != known)
    refuse(config, field, known ? "false" : "true", known ? "true" : "false");
}

void expect_value(const Json& config, const char* field, double known) {
  const auto node = given(config, field);
  if (node && node->as_double() != known) refuse(config, field, node->as_double(), cat(known));
}

void expect_none(const Json& config, const char* field) {
  if (given(config, field)) refuse(config, field, "a value", "null");
}

void expect_plain_encoder(const Json& config) {
  expect_value(config, "position_embedding_type", {"absolute"});
  for (const char* field : {"is_decoder", "add_cross_attention"})
    expect_value(config, field, false);
}

}  // namespace headway
