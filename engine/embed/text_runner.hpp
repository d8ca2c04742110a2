// Takes texts through tokenizer and engine, window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/function_ref.hpp"
#include "engine/embed/text_model.hpp"
#include "engine/embed/token_window.hpp"
#include "headway/embedder.hpp"

namespace headway {

// What every task on texts holds. Immutable.
struct TextRunner {
  Tokenizer tokenizer;
  Engine engine;
  ModelInfo info;
  int threads;                           // the engine's limit
  size_t window_tokens = kWindowTokens;  // as window_size has it

  // What a call's options leave of the threads.
  int threads_for(const RunOptions& options) const;

  // A window's ids as the engine takes them.
  struct Window {
    size_t first;  // its first text among all
    const TokenWindow& tokens;
    const Batch& batch;
    std::span<const Input> inputs;  // "ids" and "type_ids"
  };

  // Appends the ids of `prompt` and `text` as one text; returns whether that was cut. On any
  // thread.
  bool encode(std::string_view prompt, std::string_view text, const EncodeOptions& options,
              std::vector<int32_t>& ids) const;

  // Calls `run` for each window of `texts` texts, of which number i has at most `bytes(i)` bytes.
  EmbedStats run(size_t texts, FunctionRef<size_t(size_t)> bytes, TokenWindow::Encode encode,
                 FunctionRef<void(const Window&)> run, const RunOptions& options) const;
};

// Compiles the model, whose graph's outputs the caller has added. `info`: what the caller knows
// beside describe().
TextRunner make_runner(OpenedModel opened, ModelInfo info, const EmbedderOptions& options);

// The facts of the transformer and its tokenizer. `of_modules`: what has been taken of the files of
// the modules on top.
ModelInfo describe(const OpenedModel& opened, const Taken& of_modules = {});

}  // namespace headway
