// What the handles of models on texts have in common, whatever their task.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/open_handles.hpp"
#include "engine/bindings/c/options.hpp"
#include "engine/bindings/c/structs.hpp"
#include "engine/bindings/c/tokenizer.hpp"
#include "headway/embedder.hpp"
#include "headway/headway.h"

namespace headway::c {

// What the handles of one model share.
template <typename T>
struct TextModelObject {
  using Model = T;
  explicit TextModelObject(T opened) : model(std::move(opened)) {
    for (const std::string& label : model.info().labels) labels.push_back(label.c_str());
  }

  T model;
  std::vector<const char*> labels;  // those of `model`, as C has them
};

// `options` may be NULL: then the defaults.
EmbedderOptions read_model_options(const headway_options* options);
// Error(invalid_argument) naming the text, by the name of their array.
std::vector<std::string_view> read_texts(const headway_text* texts, size_t count, const char* name);
EmbedOptions read_prompts(const headway_text& prompt, const headway_text& prompt_name);
// Writes what a call has read, and how many results it has; BufferTooSmall where there is room for
// fewer.
template <typename Request>
void write_outcome(Request& request, const EmbedStats& stats, size_t total, size_t capacity) {
  request.total = total;
  request.tokens = stats.tokens;
  request.truncated = stats.truncated;
  if (capacity < total) throw BufferTooSmall{"request.capacity", total, capacity};
}

void write_model_info(headway_model_info* out, const ModelInfo& model,
                      std::span<const char* const> labels);

template <typename Handle>
headway_status open_model(const char* directory, const headway_options* options, Handle** opened,
                          headway_error* error) {
  return guard(error, [&] {
    not_null(opened, Handle::kName) = nullptr;
    const EmbedderOptions given = read_model_options(options);
    *opened = open_handle(Handle(Handle::Model::open(&not_null(directory, "directory"), given)));
  });
}

template <typename Handle>
headway_status get_model_info(const Handle* handle, headway_model_info* info,
                              headway_error* error) {
  return guard(error, [&] {
    const auto opened = find(handle, Handle::kName);
    write_model_info(info, opened->model.info(), opened->labels);
  });
}

// Calls `use` with the model, which stays while the call does.
template <typename Handle, typename Use>
headway_status use_model(const Handle* handle, headway_error* error, Use use) {
  return guard(error, [&] { use(find(handle, Handle::kName)->model); });
}

// The same with the request of a task.
template <typename Handle, typename Request>
headway_status run_model(const Handle* handle, Request* request, headway_error* error,
                         void (*task)(const typename Handle::Model&, Request&)) {
  return use_model(handle, error,
                   [&](const auto& model) { task(model, not_null(request, "request")); });
}

}  // namespace headway::c

// Defines what all kinds of models have: headway_KIND_open, _copy, _close, _get_info, _get_memory,
// _trim and _get_tokenizer, and the object behind their handles, of the class `Class`.
#define HEADWAY_C_TEXT_MODEL(kind, Class)                                                          \
  struct headway_##kind : headway::c::TextModelObject<Class> {                                     \
    static constexpr std::string_view kName = #kind;                                               \
    using TextModelObject::TextModelObject;                                                        \
  };                                                                                               \
  headway_status headway_##kind##_open(const char* directory, const headway_options* options,      \
                                       headway_##kind** opened, headway_error* error) {            \
    return headway::c::open_model(directory, options, opened, error);                              \
  }                                                                                                \
  headway_status headway_##kind##_copy(const headway_##kind* handle, headway_##kind** copy,        \
                                       headway_error* error) {                                     \
    return headway::c::copy_handle(handle, #kind, copy, error);                                    \
  }                                                                                                \
  void headway_##kind##_close(headway_##kind* handle) {                                            \
    headway::c::close_handle(handle);                                                              \
  }                                                                                                \
  headway_status headway_##kind##_get_info(const headway_##kind* handle, headway_model_info* info, \
                                           headway_error* error) {                                 \
    return headway::c::get_model_info(handle, info, error);                                        \
  }                                                                                                \
  headway_status headway_##kind##_get_memory(const headway_##kind* handle, headway_memory* memory, \
                                             headway_error* error) {                               \
    return headway::c::use_model(handle, error, [&](const Class& model) {                          \
      headway::c::write_memory(memory, model.engine());                                            \
    });                                                                                            \
  }                                                                                                \
  headway_status headway_##kind##_trim(const headway_##kind* handle, headway_error* error) {       \
    return headway::c::use_model(handle, error,                                                    \
                                 [](const Class& model) { model.engine().trim(); });               \
  }                                                                                                \
  headway_status headway_##kind##_get_tokenizer(                                                   \
      const headway_##kind* handle, headway_tokenizer** tokenizer, headway_error* error) {         \
    return headway::c::use_model(handle, error, [&](const Class& model) {                          \
      headway::c::not_null(tokenizer, "tokenizer") = nullptr;                                      \
      *tokenizer = headway::c::open_handle(headway_tokenizer{model.tokenizer()});                  \
    });                                                                                            \
  }
