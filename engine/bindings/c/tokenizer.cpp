// Tokenizers.
#include "engine/bindings/c/tokenizer.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

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

void tokenize(const Tokenizer& tokenizer, headway_tokenize_request& request) {
  const headway_tokenize_request given = read_struct(&request, "request");
  EncodeOptions options;
  if (given.max_length > 0) options.max_length = given.max_length;
  options.add_special_tokens = !read_flag(given.no_special_tokens, "request.no_special_tokens");
  options.strategy = read_strategy(given.strategy);
  options.side = read_side(given.side);
  options.offsets = given.offsets != nullptr;
  const std::string_view text = read_text(given.text, "request.text");
  const Encoding encoding =
      given.second
          ? tokenizer.encode_pair(text, read_text(*given.second, "request.second"), options)
          : tokenizer.encode(text, options);
  request.count = encoding.ids.size();
  request.truncated = encoding.truncated;
  if (given.capacity < encoding.ids.size())
    throw BufferTooSmall{"request.capacity", encoding.ids.size(), given.capacity};
  if (encoding.ids.empty()) return;
  not_null(given.ids, "request.ids");
  std::copy(encoding.ids.begin(), encoding.ids.end(), given.ids);
  if (given.type_ids) {
    std::fill_n(given.type_ids, encoding.ids.size(), 0);
    std::copy(encoding.type_ids.begin(), encoding.type_ids.end(), given.type_ids);
  }
  // Empty unless asked for.
  for (size_t i = 0; i < encoding.offsets.size(); ++i) {
    const TokenOffsets& place = encoding.offsets[i];
    given.offsets[i] = {place.begin, place.end, place.text};
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

headway_status headway_decode(const headway_tokenizer* tokenizer, headway_decode_request* request,
                              headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer used = tokenizer_of(tokenizer);
    decode(used, not_null(request, "request"));
  });
}
