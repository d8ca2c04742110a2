// Slab: what one thread, or one team, needs to take a group through a program.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/graph/bindings.hpp"
#include "engine/graph/program.hpp"
#include "engine/runtime/arena.hpp"
#include "engine/runtime/planner.hpp"

namespace headway {

// Plans a group's memory and runs its steps. Used by one run at a time; allocates nothing for a
// group that needs no more than one seen before.
class Slab {
 public:
  Slab(std::shared_ptr<const Program> program, MemoryMeter& meter);

  // Decides where everything lies for a group that a team of at most `threads` will run; returns
  // the bytes needed.
  size_t plan(const Bindings& bindings, const Group& group, int threads);
  // Takes the memory the last plan needs and points every buffer at it.
  void prepare(const Bindings& bindings, const Group& group);
  // Runs all steps of the prepared group; called by every thread of the team. Error(cancelled) when
  // `stop` fires.
  void run(Team& team, const Bindings& bindings, const Group& group, const std::stop_token& stop);

  void trim() { arena_.trim(); }

 private:
  // Every buffer ends with a vector's worth of zeroed bytes of its own, so that kernels may read
  // whole vectors.
  static constexpr size_t kSlack = 64;

  std::shared_ptr<const Program> program_;
  Arena arena_;
  Planner planner_;
  std::vector<size_t> sizes_, offsets_;  // by value, then by step for the team's scratch
  size_t buffer_bytes_ = 0;              // of all these
  size_t thread_scratch_ = 0;            // of each thread, behind the buffers
  size_t planned_ = 0;                   // in all
  std::vector<Buffer> buffers_;          // by value
  std::vector<Buffer>
      step_buffers_;  // the inputs and then the outputs of each step, step after step
};

}  // namespace headway
