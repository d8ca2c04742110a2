// What every task on texts has in common: a model directory, opened.
#pragma once

#include <memory>
#include <utility>

#include "headway/embedder.hpp"
#include "headway/engine.hpp"
#include "headway/export.h"
#include "headway/tokenizer.hpp"

namespace headway {

struct TextRunner;

// The base of Reranker, Classifier and their kin, which open directories as Embedder does.
// Immutable; safe to use from any number of threads at once; copies share everything. What comes of
// a text never depends on the other texts, their order or the threads.
class HEADWAY_API TextModel {
 public:
  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;
  // The engine underneath, for its memory and limits.
  const Engine& engine() const;

 protected:
  explicit TextModel(std::shared_ptr<const TextRunner> runner) : runner_(std::move(runner)) {}
  const TextRunner& runner() const { return *runner_; }

 private:
  std::shared_ptr<const TextRunner> runner_;
};

}  // namespace headway
