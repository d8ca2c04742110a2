// A compiled graph: packed weights, a memory plan, and run().
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "headway/batch.hpp"
#include "headway/export.h"
#include "headway/graph.hpp"
#include "headway/mode.hpp"
#include "headway/operations.hpp"
#include "headway/tensor.hpp"

namespace headway {

// What an engine may use. 0 means: as said in the comment.
struct Limits {
  int threads =
      0;  // cores used by all runs of the engine together; 0: the cores this process may use
  int64_t tokens = 0;  // longest sequence of any stream; 0: no limit of its own
  size_t memory =
      0;  // bytes of working memory (slabs) of the engine; 0: no cap. Packed weights do not count
};

// How compile() turns a graph into an engine.
struct CompileOptions {
  // Of the products of Linear layers and attention. Needs AVX512_BF16 (bf16) or AVX512_VNNI (int8):
  // elsewhere f32 is faster and more exact.
  Precision precision = Precision::f32;
  bool force_precision = false;  // use it all the same; bf16 needs AVX-512 even then, int8 VNNI
};

struct RunOptions {
  int threads = 0;  // at most so many for this call; 0: what the engine's limit leaves
  Mode mode = Mode::automatic;
  bool wait = true;  // when every thread of the engine is in use: wait in order, or Error(busy)
  std::stop_token
      stop;  // ends waiting and running with Error(cancelled); outputs are then unspecified
};

// A named input: its sequences and its data, [rows, width] or any shape of as many elements ending
// in width ([B, T, D]). Inputs of one token stream must have equal batches.
struct Input {
  std::string_view name;
  const Batch& batch;
  TensorView data;
};

// A named output: exactly as many elements as the value has rows times width. Attention weights lie
// sequence after sequence, [H, Tq, Tk] each (so [B, H, T, T] for a dense batch). Outputs that are
// not bound are not delivered, and not computed where nothing else needs them. The memory overlaps
// no input and no other output.
struct Output {
  std::string_view name;
  MutableTensorView data;
};

// Facts about an engine, for people and for monitoring.
struct EngineInfo {
  int threads;  // of its limits, resolved
  Precision precision;
  size_t packed_weights;  // bytes of packed weights
  size_t memory_in_use;   // bytes of slabs held now
  size_t peak_memory;     // the most bytes of slabs ever held
  int64_t parameters;     // elements of all weights
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// The contract for programs with many threads. It holds in the same way for Embedder and Heads, for
// the handles of headway.h and for the objects of the Python package.
//
// - Threads. An engine is immutable: any number of threads may call anything of it at once. Copies
//   share everything.
// - Results. They never depend on batch mates, their order, the thread count, the mode, the other
//   outputs asked for, other callers, or the run: bit for bit, on one machine.
// - Cores. Runs share the engine's threads (Limits::threads), and never more of them compute. A run
//   computes on its caller's thread and on as many more as its work is worth and others leave free.
//   When callers come, it passes on what it has beyond its fair share (threads / runs), one thread
//   at the end of each group of about 512 rows, and takes them again when they come free. With as
//   many callers as threads each comes to compute on its own; those beyond wait in order, asleep,
//   or are told Error(busy). What happens outside the engine is little and not counted: tokenizing
//   on the caller's thread takes 0.2 % of a run.
// - Several engines. They share the cores of the process: a run takes threads besides its caller's
//   only for cores on which no run of any engine computes, and gives them up, in the same steps,
//   when other engines' callers need them. So no more threads compute than cores, or callers if
//   these are more, who are as many as the engines' own limits let in. For a stricter bound, give
//   the engines limits that add up to it.
// - Memory. Each thread of the engine has a slab, and an equal part of Limits::memory for it; a run
//   that cannot be cut to fit is refused with Error(limit) before anything is written. A run
//   allocates nothing more in Headway's own code once it has seen its shapes. Slabs stay until
//   trim(), which takes those that no run holds at that moment, at any time.
// - Stopping. RunOptions::stop is looked at before every piece of work, on every thread: a run, or
//   one that waits, ends with Error(cancelled) a few milliseconds after the request, a sequence of
//   32768 tokens within 0.1 s (with AttentionStrategy::materialized a head's product is one piece).
//   Its outputs are then unspecified: a run has ended well only if nothing was thrown.
// - Closing. Each object keeps what its own calls need. A copy may go at any time, the last one
//   frees everything. As with all C++ objects a call on an object must not meet its destructor;
//   threads that may outlive it take copies. Handles of headway.h may even be closed while calls
//   that use them are under way, and so may Python's objects.
// - fork(). A child can use an engine that no other thread was running, warming, trimming or
//   compiling from the same graph at that moment, and can compile others; threads start anew in it.
class HEADWAY_API Engine {
 public:
  // Computes the bound outputs. Error(invalid_argument) for unknown, missing or repeated names and
  // wrong types, shapes or lengths; Error(limit) with the needed and the allowed number;
  // Error(busy), Error(cancelled) as RunOptions says.
  void run(std::span<const Input> inputs, std::span<const Output> outputs,
           const RunOptions& options = {}) const;
  void run(std::initializer_list<Input> inputs, std::initializer_list<Output> outputs,
           const RunOptions& options = {}) const {
    run(std::span(inputs.begin(), inputs.size()), std::span(outputs.begin(), outputs.size()),
        options);
  }

  // Elements the output `name` has for these inputs' batches.
  int64_t output_elements(std::string_view name, std::span<const Input> inputs) const;
  // Floating-point operations of a run over `batch` in every stream (multiply and add count as
  // two).
  double flops(const Batch& batch) const;
  // Bytes of working memory a run of one thread over `batch` in every stream needs at most: outputs
  // count, though one that is bound needs none.
  size_t planned_memory(const Batch& batch) const;

  // Makes the matrix products that sequences of these lengths need, alone or in any mix (the same
  // length in every stream), so that no run of them has to: 0.1 to 1 ms each. Threads and working
  // memory still come with the first run.
  void warm(std::span<const int64_t> lengths) const;
  // Gives back the memory of slabs that are not in use.
  void trim() const;
  EngineInfo info() const;

  class State;
  explicit Engine(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

// Fuses layers, packs weights and plans memory. Engines compiled from one graph share the packed
// weights. Error(invalid_argument) for a graph without outputs or limits that cannot be.
HEADWAY_API Engine compile(const Graph& graph, const Limits& limits = {},
                           const CompileOptions& options = {});

}  // namespace headway
