// Reads from config.json what architectures have in common.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "engine/formats/json.hpp"
#include "headway/operations.hpp"

namespace headway {

// Every function throws Error naming the file and the field: Error(format) for what is missing or
// no sensible value, Error(unsupported), which also says what is known, for other mathematics.

inline constexpr int64_t kMostLayers = 1 << 12;

// What the sizes are called.
struct SizeFields {
  const char* dim = "hidden_size";
  const char* layers = "num_hidden_layers";
  const char* heads = "num_attention_heads";
  const char* inner = "intermediate_size";
  const char* positions = "max_position_embeddings";
};

struct Sizes {
  int64_t vocabulary, dim, layers, heads;
  int64_t inner;      // of the feed-forward network
  int64_t positions;  // 512 unless said otherwise
};

// The field, unless it is missing or null.
std::optional<JsonNode> find_value(JsonNode config, const char* field);

// Widths are at most 2^20, far above any published model, so that no product of two overflows.
Sizes read_sizes(JsonNode config, const SizeFields& fields = {});

// Numbers of a head, which turn in pairs: an even number.
int64_t rotary_dims(JsonNode config, const Sizes& sizes, const SizeFields& fields = {});

// Numbers that may be left out: of rows or tokens, of columns, and of layers.
int64_t read_size(JsonNode config, const char* field, int64_t otherwise);
int64_t read_width(JsonNode config, const char* field, int64_t otherwise);
int64_t read_layers(JsonNode config, const char* field, int64_t otherwise);
// A row of a table of `rows`: the id of padding.
int64_t read_row(JsonNode config, const char* field, int64_t otherwise, int64_t rows);
// A number above 0 and below 1.
float read_epsilon(JsonNode config, const char* field, double otherwise);
// A number above 0.
double read_positive(JsonNode config, const char* field, double otherwise);
// By the name that transformers gives it.
Activation read_activation(JsonNode config, const char* field, const char* otherwise);

// Refuses a field that says anything else than what is known; one that is missing or null does not.
void expect_value(JsonNode config, const char* field,
                  std::initializer_list<std::string_view> known);
void expect_value(JsonNode config, const char* field, bool known);
void expect_value(JsonNode config, const char* field, double known);
// Error(unsupported) for a field that has a value.
void expect_none(JsonNode config, const char* field);
// Decoders, and positions that are not absolute.
void expect_plain_encoder(JsonNode config);

}  // namespace headway
