// Embedders.
#include "headway/embedder.hpp"

#include <string_view>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/open_handles.hpp"
#include "engine/bindings/c/options.hpp"
#include "engine/bindings/c/structs.hpp"
#include "engine/bindings/c/tokenizer.hpp"

struct headway_embedder {
  headway::Embedder embedder;
};

namespace headway::c {
namespace {

// It stays while the call does.
Embedder embedder_of(const headway_embedder* handle) {
  return find(handle, "embedder")->embedder;
}

void embed(const Embedder& embedder, headway_embed_request& request) {
  const headway_embed_request given = read_struct(&request, "request");
  EmbedOptions chosen;
  if (given.prompt.data) chosen.prompt = read_text(given.prompt, "request.prompt");
  if (given.prompt_name.data)
    chosen.prompt_name = read_text(given.prompt_name, "request.prompt_name");
  chosen.dimensions = given.dimensions;
  const size_t needed =
      checked_mul(given.count, static_cast<size_t>(embedder.dim_of(chosen)), "request.count");
  if (given.capacity < needed) throw BufferTooSmall{"request.capacity", needed, given.capacity};
  std::vector<std::string_view> texts;
  if (given.count > 0) {
    not_null(given.texts, "request.texts");
    not_null(given.vectors, "request.vectors");
    texts.reserve(given.count);
    for (size_t i = 0; i < given.count; ++i)
      texts.push_back(read_text(given.texts[i], "request.texts[", i, "]"));
  }
  const EmbedStats stats =
      embedder.embed(texts, given.vectors, read_run_options(given.run), chosen);
  request.tokens = stats.tokens;
  request.truncated = stats.truncated;
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
    *embedder = open_handle(
        headway_embedder{headway::Embedder::open(&not_null(directory, "directory"), open)});
  });
}

headway_status headway_embedder_copy(const headway_embedder* embedder, headway_embedder** copy,
                                     headway_error* error) {
  return guard(error, [&] {
    not_null(copy, "copy") = nullptr;
    *copy = open_handle(headway_embedder{embedder_of(embedder)});
  });
}

void headway_embedder_close(headway_embedder* embedder) {
  close_handle(embedder);
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
    const headway::Embedder used = embedder_of(embedder);
    embed(used, not_null(request, "request"));
  });
}

headway_status headway_embedder_get_tokenizer(const headway_embedder* embedder,
                                              headway_tokenizer** tokenizer, headway_error* error) {
  return guard(error, [&] {
    not_null(tokenizer, "tokenizer") = nullptr;
    *tokenizer = open_handle(headway_tokenizer{embedder_of(embedder).tokenizer()});
  });
}
