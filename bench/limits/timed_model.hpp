// all-MiniLM-L6-v2 in an engine that keeps the time of every layer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headway/batch.hpp"
#include "headway/engine.hpp"

namespace headway {

// Token ids of some texts.
struct TokenBatch {
  Batch batch;
  std::vector<int32_t> ids;
};

// The 2000 texts as the model takes them, and `sequences` texts of `tokens` random ids.
TokenBatch mixed_batch();
TokenBatch equal_batch(int64_t sequences, int64_t tokens);

// What all layers of one kind did in a run.
struct LayerTotals {
  std::string kind;     // "qkv", "attention", "ffn_up", ...
  Precision precision;  // of its products
  double flops = 0;
  double bytes = 0;    // what goes in and comes out, and weights once
  double weights = 0;  // of these, packed weights and tables: what must come from memory
  double seconds = 0;  // of all threads together, divided by their number
};

struct RunTotals {
  std::vector<LayerTotals> layers;
  double seconds = 0;
};

class TimedLayer;
struct Program;

// The model as the engine runs it, with a clock around each layer: the program that compile() finds
// has its layers wrapped. One caller at a time.
class TimedModel {
 public:
  TimedModel(Precision precision, int threads);
  ~TimedModel();

  // The medians of `runs` runs, after one that makes products and slabs.
  RunTotals run(const TokenBatch& tokens, int runs) const;

 private:
  RunTotals run_once(const TokenBatch& tokens) const;

  Precision precision_;
  int threads_;
  std::shared_ptr<const Program> program_;
  std::vector<std::shared_ptr<const TimedLayer>> layers_;  // by step
  std::unique_ptr<const Engine> engine_;
};

}  // namespace headway
