// Tokenizers.
#include "engine/bindings/c/tokenizer.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/open_handles.hpp"
#include "engine/bindings/c/structs.hpp"

namespace headway::c {
namespace {

// It stays while the call does.
Tokenizer tokenizer_of(const headway_tokenizer* handle) {
  return find(handle, "tokenizer")->tokenizer;
}

TruncationStrategy read_strategy(int32_t value) {
  switch (value) {
    case HEADWAY_LONGEST_FIRST:
      return TruncationStrategy::longest_first;
    case HEADWAY_ONLY_FIRST:
      return TruncationStrategy::only_first;
    case HEADWAY_ONLY_SECOND:
      return TruncationStrategy::only_second;
  }
  fail(ErrorCode::invalid_argument,
       "request.strategy: expected HEADWAY_LONGEST_FIRST, HEADWAY_ONLY_FIRST or "
       "HEADWAY_ONLY_SECOND, found ",
       value);
}

std::optional<TruncationSide> read_side(int32_t value) {
  switch (value) {
    case HEADWAY_MODELS_SIDE:
      return std::nullopt;
    case HEADWAY_RIGHT:
      return TruncationSide::right;
    case HEADWAY_LEFT:
      return TruncationSide::left;
  }
  fail(ErrorCode::invalid_argument,
       "request.side: expected HEADWAY_MODELS_SIDE, HEADWAY_RIGHT or HEADWAY_LEFT, found ", value);
}

EncodeOptions read_options(const headway_tokenize_request& given) {
  EncodeOptions options;
  if (given.max_length > 0) options.max_length = given.max_length;
  options.add_special_tokens = !read_flag(given.no_special_tokens, "request.no_special_tokens");
  options.encode_special_tokens =
      read_flag(given.encode_special_tokens, "request.encode_special_tokens");
  options.strategy = read_strategy(given.strategy);
  options.side = read_side(given.side);
  options.offsets = given.offsets != nullptr;
  return options;
}

// The windows, or one encoding.
std::vector<Encoding> encode(const Tokenizer& tokenizer, const headway_tokenize_request& given) {
  const EncodeOptions options = read_options(given);
  const std::string_view first = read_text(given.text, "request.text");
  if (!given.second)
    return given.window_counts ? tokenizer.encode_windows(first, given.stride, options)
                               : std::vector{tokenizer.encode(first, options)};
  const std::string_view second = read_text(*given.second, "request.second");
  return given.window_counts ? tokenizer.encode_pair_windows(first, second, given.stride, options)
                             : std::vector{tokenizer.encode_pair(first, second, options)};
}

// Writes an encoding behind the `at` ids of those before it.
void write(const Encoding& encoding, size_t at, const headway_tokenize_request& to) {
  std::copy(encoding.ids.begin(), encoding.ids.end(), to.ids + at);
  if (to.type_ids) {
    std::fill_n(to.type_ids + at, encoding.ids.size(), 0);
    std::copy(encoding.type_ids.begin(), encoding.type_ids.end(), to.type_ids + at);
  }
  // Empty unless asked for.
  for (size_t i = 0; i < encoding.offsets.size(); ++i) {
    const TokenOffsets& place = encoding.offsets[i];
    to.offsets[at + i] = {place.begin, place.end, place.text};
  }
}

void tokenize(const Tokenizer& tokenizer, headway_tokenize_request& request) {
  const headway_tokenize_request given = read_struct(&request, "request");
  const std::vector<Encoding> encodings = encode(tokenizer, given);
  size_t count = 0;
  for (const Encoding& encoding : encodings) count += encoding.ids.size();
  request.count = count;
  request.truncated = encodings[0].truncated;
  if (given.window_counts) {
    request.windows = encodings.size();
    if (given.window_capacity < encodings.size())
      throw BufferTooSmall{"request.window_capacity", encodings.size(), given.window_capacity};
  }
  if (given.capacity < count) throw BufferTooSmall{"request.capacity", count, given.capacity};
  if (count > 0) not_null(given.ids, "request.ids");
  size_t at = 0;
  for (size_t i = 0; i < encodings.size(); ++i) {
    if (given.window_counts) given.window_counts[i] = encodings[i].ids.size();
    if (!encodings[i].ids.empty()) write(encodings[i], at, given);
    at += encodings[i].ids.size();
  }
}

void decode(const Tokenizer& tokenizer, headway_decode_request& request) {
  const headway_decode_request given = read_struct(&request, "request");
  const bool keep = read_flag(given.keep_special_tokens, "request.keep_special_tokens");
  if (given.count > 0) not_null(given.ids, "request.ids");
  const std::string text = tokenizer.decode(std::span(given.ids, given.count), !keep);
  request.length = text.size();
  if (given.capacity < text.size())
    throw BufferTooSmall{"request.capacity", text.size(), given.capacity};
  if (text.empty()) return;
  not_null(given.text, "request.text");
  std::copy(text.begin(), text.end(), given.text);
}

void write_info(headway_tokenizer_info* out, const Tokenizer& tokenizer) {
  headway_tokenizer_info info{};
  info.vocabulary = tokenizer.vocab_size();
  info.special_tokens = tokenizer.special_tokens();
  info.pair_special_tokens = tokenizer.pair_special_tokens();
  info.max_length = tokenizer.model_max_length().value_or(0);
  write_struct(out, "info", info);
}

}  // namespace
}  // namespace headway::c

using namespace headway::c;

headway_status headway_tokenizer_open(const char* path, headway_tokenizer** tokenizer,
                                      headway_error* error) {
  return guard(error, [&] {
    not_null(tokenizer, "tokenizer") = nullptr;
    *tokenizer = open_handle(headway_tokenizer{headway::Tokenizer::open(&not_null(path, "path"))});
  });
}

headway_status headway_tokenizer_copy(const headway_tokenizer* tokenizer, headway_tokenizer** copy,
                                      headway_error* error) {
  return copy_handle(tokenizer, "tokenizer", copy, error);
}

void headway_tokenizer_close(headway_tokenizer* tokenizer) {
  close_handle(tokenizer);
}

headway_status headway_tokenizer_get_info(const headway_tokenizer* tokenizer,
                                          headway_tokenizer_info* info, headway_error* error) {
  return guard(error, [&] { write_info(info, tokenizer_of(tokenizer)); });
}

headway_status headway_tokenize(const headway_tokenizer* tokenizer,
                                headway_tokenize_request* request, headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer used = tokenizer_of(tokenizer);
    tokenize(used, not_null(request, "request"));
  });
}

headway_status headway_token_to_id(const headway_tokenizer* tokenizer, headway_text token,
                                   int32_t* id, headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer used = tokenizer_of(tokenizer);
    not_null(id, "id") = used.token_to_id(read_text(token, "token")).value_or(-1);
  });
}

headway_status headway_id_to_token(const headway_tokenizer* tokenizer, int32_t id,
                                   headway_text* token, headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer used = tokenizer_of(tokenizer);
    const std::string_view text = used.id_to_token(id).value_or(std::string_view());
    not_null(token, "token") = {text.data(), text.size()};
  });
}

headway_status headway_decode(const headway_tokenizer* tokenizer, headway_decode_request* request,
                              headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer used = tokenizer_of(tokenizer);
    decode(used, not_null(request, "request"));
  });
}
