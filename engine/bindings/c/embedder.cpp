// Embedders and their tokenizers.
#include "headway/embedder.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/options.hpp"
#include "engine/bindings/c/structs.hpp"

struct headway_embedder {
  headway::Embedder embedder;
};

namespace headway::c {
namespace {

const Embedder& embedder_of(const headway_embedder* handle) {
  return not_null(handle, "embedder").embedder;
}

std::string_view read_text(const headway_text& text, const auto&... name) {
  if (text.length > 0 && !text.data)
    fail(ErrorCode::invalid_argument, name..., ".data: expected ", text.length,
         " bytes, found NULL");
  if (text.length > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()))
    fail(ErrorCode::invalid_argument, name..., ".length: ", text.length,
         " bytes are more than a machine can address");
  return text.data ? std::string_view(text.data, text.length) : std::string_view();
}

void embed(const Embedder& embedder, headway_embed_request& request) {
  const headway_embed_request given = read_struct(&request, "request");
  const size_t needed =
      checked_mul(given.count, static_cast<size_t>(embedder.dim()), "request.count");
  if (given.capacity < needed) throw BufferTooSmall{"request.capacity", needed, given.capacity};
  std::vector<std::string_view> texts;
  if (given.count > 0) {
    not_null(given.texts, "request.texts");
    not_null(given.vectors, "request.vectors");
    texts.reserve(given.count);
    for (size_t i = 0; i < given.count; ++i)
      texts.push_back(read_text(given.texts[i], "request.texts[", i, "]"));
  }
  const EmbedStats stats = embedder.embed(texts, given.vectors, read_run_options(given.run));
  request.tokens = stats.tokens;
  request.truncated = stats.truncated;
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

void write_info(headway_model_info* out, const Embedder& embedder) {
  const ModelInfo& model = embedder.info();
  headway_model_info info{};
  info.dim = model.dim;
  info.layers = model.layers;
  info.heads = model.heads;
  info.vocabulary = model.vocabulary;
  info.parameters = model.parameters;
  info.max_length = model.max_length;
  info.max_length_from = model.max_length_from.c_str();
  info.architecture = model.architecture.c_str();
  info.pooling = model.pooling.c_str();
  info.normalize = model.normalize;
  write_struct(out, "info", info);
}

}  // namespace
}  // namespace headway::c

using namespace headway::c;

headway_status headway_embedder_open(const char* directory, const headway_options* options,
                                     headway_embedder** embedder, headway_error* error) {
  return guard(error, [&] {
    not_null(embedder, "embedder") = nullptr;
    const EngineOptions given = read_options(options);
    headway::EmbedderOptions open;
    open.threads = given.limits.threads;
    open.max_length = given.limits.tokens;
    open.memory = given.limits.memory;
    open.precision = given.precision;
    *embedder =
        new headway_embedder{headway::Embedder::open(&not_null(directory, "directory"), open)};
  });
}

headway_status headway_embedder_copy(const headway_embedder* embedder, headway_embedder** copy,
                                     headway_error* error) {
  return guard(error, [&] {
    not_null(copy, "copy") = nullptr;
    *copy = new headway_embedder{embedder_of(embedder)};
  });
}

void headway_embedder_close(headway_embedder* embedder) {
  delete embedder;
}

headway_status headway_embedder_get_info(const headway_embedder* embedder, headway_model_info* info,
                                         headway_error* error) {
  return guard(error, [&] { write_info(info, embedder_of(embedder)); });
}

headway_status headway_embedder_get_memory(const headway_embedder* embedder, headway_memory* memory,
                                           headway_error* error) {
  return guard(error, [&] { write_memory(memory, embedder_of(embedder).engine()); });
}

headway_status headway_embedder_trim(const headway_embedder* embedder, headway_error* error) {
  return guard(error, [&] { embedder_of(embedder).engine().trim(); });
}

headway_status headway_embed(const headway_embedder* embedder, headway_embed_request* request,
                             headway_error* error) {
  return guard(error, [&] {
    const headway::Embedder& used = embedder_of(embedder);
    embed(used, not_null(request, "request"));
  });
}

headway_status headway_tokenize(const headway_embedder* embedder, headway_tokenize_request* request,
                                headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer& used = embedder_of(embedder).tokenizer();
    tokenize(used, not_null(request, "request"));
  });
}

headway_status headway_decode(const headway_embedder* embedder, headway_decode_request* request,
                              headway_error* error) {
  return guard(error, [&] {
    const headway::Tokenizer& used = embedder_of(embedder).tokenizer();
    decode(used, not_null(request, "request"));
  });
}
