// Engine: limits, slabs, and the order in which a run's groups go through them.
#include "headway/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/base/checked.hpp"
#include "engine/graph/bindings.hpp"
#include "engine/graph/program.hpp"
#include "engine/graph/slab.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/ops/precision.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/runtime/parallel.hpp"
#include "engine/runtime/schedule.hpp"
#include "engine/runtime/slots.hpp"

namespace headway {
namespace {

constexpr int kMaxThreads = 1024;

Limits resolved(Limits limits) {
  if (limits.threads < 0 || limits.threads > kMaxThreads) {
    fail(ErrorCode::invalid_argument, "Limits::threads is ", limits.threads, ", expected 0 to ",
         kMaxThreads);
  }
  if (limits.tokens < 0)
    fail(ErrorCode::invalid_argument, "Limits::tokens is ", limits.tokens, ", expected at least 0");
  if (limits.threads == 0) limits.threads = std::min(default_threads(), kMaxThreads);
  return limits;
}

// Everything a run needs besides memory for values, kept with a slab so that the next run finds it.
struct RunState {
  RunState(const Program& program, int threads) : bindings(program) {
    schedule.free_at.reserve(static_cast<size_t>(threads));
  }

  Bindings bindings;
  std::vector<double> costs;  // by sequence
  std::vector<int64_t> rows;
  Schedule schedule;
};

}  // namespace

class Engine::State {
 public:
  State(std::shared_ptr<const Program> program, const Limits& limits)
      : program(std::move(program)), limits(resolved(limits)), slots(this->limits.threads) {
    for (int i = 0; i < this->limits.threads; ++i) {
      slabs.push_back(std::make_unique<Slab>(this->program, meter));
      runs.push_back(std::make_unique<RunState>(*this->program, this->limits.threads));
    }
  }

  const std::shared_ptr<const Program> program;
  const Limits limits;
  MemoryMeter meter;
  Slots slots;
  std::vector<std::unique_ptr<Slab>> slabs;
  std::vector<std::unique_ptr<RunState>> runs;  // the one of a run's first slab is the run's

  // Bytes one slab may take.
  size_t slab_limit() const {
    return limits.memory == 0 ? SIZE_MAX : limits.memory / static_cast<size_t>(limits.threads);
  }

  double cost(const Bindings& bindings, const Group& group) const {
    double flops = 0;
    for (size_t i = 0; i < program->steps.size(); ++i) {
      const Step& step = program->steps[i];
      if (bindings.wanted_step(i)) flops += step.node.layer->flops(bindings.shape(step, group));
    }
    return flops;
  }

  void schedule(RunState& run, Mode mode, int threads) const {
    const auto count = static_cast<size_t>(run.bindings.sequences());
    run.costs.resize(count);
    run.rows.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const Group one = run.bindings.group(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
      run.costs[i] = cost(run.bindings, one);
      run.rows[i] = 0;
      for (int32_t stream = 0; stream < program->streams; ++stream)
        run.rows[i] += one.length(stream, 0);
    }
    make_schedule(run.costs, run.rows, {.threads = threads, .mode = mode}, run.schedule);
  }

  void expect_memory(size_t needed, const Group& group) const {
    if (needed <= slab_limit()) return;
    fail(ErrorCode::limit, "sequence ", group.first(), " needs ", needed,
         " bytes of working memory, allowed are ", slab_limit(), " (Limits::memory of ",
         limits.memory, " for ", limits.threads, " threads)");
  }

  // Calls body(group) with the range planned in the slab, or, where memory does not allow that,
  // with its halves. Error(limit) when one sequence alone is too much.
  template <typename Body>
  void with_groups(Slab& slab, const Bindings& bindings, const Range& range, int threads,
                   const Body& body) const {
    const Group group = bindings.group(range.first, range.last);
    const size_t needed = slab.plan(bindings, group, threads);
    if (needed > slab_limit() && group.sequences() > 1) {
      const int64_t middle = range.first + group.sequences() / 2;
      with_groups(slab, bindings, {range.first, middle, 0}, threads, body);
      with_groups(slab, bindings, {middle, range.last, 0}, threads, body);
      return;
    }
    expect_memory(needed, group);
    body(group);
  }

  // Plans the whole run without running it, so that one that does not fit is refused before
  // anything has been written.
  void expect_fit(const RunState& run, Slab& slab, int threads) const {
    if (limits.memory == 0) return;
    for (const Range& range : run.schedule.inside)
      with_groups(slab, run.bindings, range, threads, [](const Group&) {});
    for (const Range& range : run.schedule.across)
      with_groups(slab, run.bindings, range, 1, [](const Group&) {});
  }

  // A slot of the run, given back on destruction or before.
  class Lease {
   public:
    Lease(Slots& slots, std::span<int> taken, bool wait, const std::stop_token& stop)
        : slots_(slots), taken_(taken), count_(slots.take(taken, wait, stop)) {}
    // Last taken, first given back: the next run finds the same slots in the same order, with what
    // this one has left in them.
    ~Lease() {
      for (int i = count_; i-- > 0;) give_back(i);
    }
    int count() const { return count_; }
    int slot(int i) const { return taken_[i]; }
    void give_back(int i) {
      if (taken_[i] >= 0) slots_.give_back(taken_[i]);
      taken_[i] = -1;
    }

   private:
    Slots& slots_;
    std::span<int> taken_;
    int count_;
  };

  void run_inside(RunState& run, const Lease& lease, const std::stop_token& stop) const {
    Slab& slab = *slabs[lease.slot(0)];
    for (const Range& range : run.schedule.inside) {
      with_groups(slab, run.bindings, range, lease.count(), [&](const Group& group) {
        slab.prepare(run.bindings, group);
        run_team(lease.count(), [&](Team& team) { slab.run(team, run.bindings, group, stop); });
      });
    }
  }

  void run_across(RunState& run, Lease& lease, const std::stop_token& stop) {
    const std::vector<Range>& ranges = run.schedule.across;
    if (ranges.empty()) return;
    std::atomic<size_t> next{0};
    const auto body = [&](Team& team) {
      Slab& slab = *slabs[lease.slot(team.rank())];
      Team alone;
      try {
        for (size_t i = next.fetch_add(1); i < ranges.size(); i = next.fetch_add(1)) {
          with_groups(slab, run.bindings, ranges[i], 1, [&](const Group& group) {
            slab.prepare(run.bindings, group);
            slab.run(alone, run.bindings, group, stop);
          });
          // Another caller waits for a slab: the first thread of this run can finish alone.
          if (team.rank() != 0 && slots.contended()) {
            lease.give_back(team.rank());
            return;
          }
        }
      } catch (...) {
        next.store(ranges.size());  // the others need not go on
        throw;
      }
    };
    run_team(static_cast<int>(std::min<size_t>(lease.count(), ranges.size())), body);
  }
};

void Engine::run(std::span<const Input> inputs, std::span<const Output> outputs,
                 const RunOptions& options) const {
  State& state = *state_;
  check_bindings(*state.program, state.limits, inputs, outputs);
  if (options.threads < 0)
    fail(ErrorCode::invalid_argument, "RunOptions::threads is ", options.threads,
         ", expected at least 0");
  if (options.stop.stop_requested()) fail(ErrorCode::cancelled, "the run was cancelled");
  const int threads =
      options.threads == 0 ? state.limits.threads : std::min(options.threads, state.limits.threads);

  std::array<int, kMaxThreads> taken;
  State::Lease lease(state.slots, std::span(taken).first(static_cast<size_t>(threads)),
                     options.wait, options.stop);
  RunState& run = *state.runs[lease.slot(0)];
  run.bindings.bind(*state.program, inputs, outputs);
  state.schedule(run, options.mode, lease.count());
  state.expect_fit(run, *state.slabs[lease.slot(0)], lease.count());
  state.run_inside(run, lease, options.stop);
  state.run_across(run, lease, options.stop);
}

int64_t Engine::output_elements(std::string_view name, std::span<const Input> inputs) const {
  const Program& program = *state_->program;
  const NamedValue* named = program.find_output(name);
  if (named == nullptr) fail(ErrorCode::invalid_argument, "there is no output '", name, "'");
  const auto streams = streams_of(program, inputs);
  for (int32_t stream = 0; stream < program.streams; ++stream) {
    if (streams[stream] == nullptr)
      fail(ErrorCode::invalid_argument, "no input gives the lengths of token stream ", stream);
    if (streams[stream]->sequences() != streams[0]->sequences()) {
      fail(ErrorCode::invalid_argument, "the inputs differ in their number of sequences");
    }
  }
  const Group all(std::span(streams.data(), static_cast<size_t>(program.streams)), 0,
                  streams[0]->sequences());
  const ValueType& type = program.types[named->value];
  return checked_mul(all.rows(type.rows), type.width, "elements of an output");
}

double Engine::flops(const Batch& batch) const {
  Bindings bindings(*state_->program);
  bindings.bind_lengths(*state_->program, batch);
  return state_->cost(bindings, bindings.group(0, batch.sequences()));
}

size_t Engine::planned_memory(const Batch& batch) const {
  RunState run(*state_->program, 1);
  run.bindings.bind_lengths(*state_->program, batch);
  state_->schedule(run, Mode::across, 1);
  Slab slab(state_->program, state_->meter);
  size_t most = 0;
  for (const Range& range : run.schedule.across) {
    most = std::max(most, slab.plan(run.bindings, run.bindings.group(range.first, range.last), 1));
  }
  return most;
}

void Engine::warm(std::span<const int64_t> lengths) const {
  // Planning makes every product a group needs.
  for (int64_t length : lengths) planned_memory(Batch::dense(1, length));
}

void Engine::trim() const {
  state_->slots.for_each_free([&](int slot) { state_->slabs[slot]->trim(); });
}

EngineInfo Engine::info() const {
  const State& state = *state_;
  EngineInfo info{.threads = state.limits.threads,
                  .precision = state.program->precision,
                  .packed_weights = state.program->packed->size(),
                  .memory_in_use = state.meter.in_use(),
                  .peak_memory = state.meter.peak(),
                  .parameters = state.program->parameters,
                  .inputs = {},
                  .outputs = {}};
  for (const NamedValue& input : state.program->inputs) info.inputs.push_back(input.name);
  for (const NamedValue& output : state.program->outputs) info.outputs.push_back(output.name);
  return info;
}

Engine compile(const Graph& graph, const Limits& limits, const CompileOptions& options) {
  hold_instruction_set();
  expect_usable(options.precision, options.force_precision);
  return Engine(std::make_shared<Engine::State>(program_of(graph, options.precision), limits));
}

}  // namespace headway
