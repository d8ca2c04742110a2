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

// Slots that a run holds besides its first.
struct MoreSlots {
  std::array<int, kMaxThreads> slots;
  int count = 0;

  bool add(Slots::Share& share) {
    const int slot = share.more();
    if (slot >= 0) slots[count++] = slot;
    return slot >= 0;
  }
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

  // Fills in what the run's sequences cost and how many rows they are.
  void measure(RunState& run) const {
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
  }

  static void schedule(RunState& run, Mode mode, int threads) {
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

  // The threads shrink in number between groups when other runs want them.
  void run_inside(RunState& run, Slots::Share& share, MoreSlots& more,
                  const std::stop_token& stop) const {
    Slab& slab = *slabs[share.first()];
    for (const Range& range : run.schedule.inside) {
      while (more.count > 0 && share.yield(more.slots[more.count - 1])) --more.count;
      const int threads = 1 + more.count;
      with_groups(slab, run.bindings, range, threads, [&](const Group& group) {
        slab.prepare(run.bindings, group);
        run_team(threads, [&](Team& team) { slab.run(team, run.bindings, group, stop); });
      });
    }
  }

  // The caller and its helpers take group after group. Between two of them a helper leaves when
  // another run should have its slot or, in another engine, its core, and the caller looks whether
  // it may have one more.
  void run_across(RunState& run, Slots::Share& share, MoreSlots& more, int threads,
                  const std::stop_token& stop) const {
    const std::vector<Range>& ranges = run.schedule.across;
    if (ranges.empty()) return;
    std::atomic<size_t> next{0};
    const auto run_next = [&](int slot) {
      const size_t i = next.fetch_add(1);
      if (i >= ranges.size()) return false;
      Slab& slab = *slabs[slot];
      Team alone;
      try {
        with_groups(slab, run.bindings, ranges[i], 1, [&](const Group& group) {
          slab.prepare(run.bindings, group);
          slab.run(alone, run.bindings, group, stop);
        });
      } catch (...) {
        next.store(ranges.size());  // the others need not go on
        throw;
      }
      return true;
    };
    const auto help = [&](int slot) {
      while (run_next(slot)) {
        if (share.yield(slot)) return;
        if (cores_are_short(threads)) break;
      }
      share.give_back(slot);
    };
    Helpers helpers(threads, help);
    const auto start = [&] {
      const size_t useful = std::min<size_t>(more.count, ranges.size() - 1);
      const auto started = static_cast<int>(helpers.start(std::span(more.slots).first(useful)));
      // There is no work, or no core of the process, for the others.
      for (; more.count > started; --more.count) share.give_back(more.slots[more.count - 1]);
      more.count = 0;  // helpers give theirs back themselves
    };
    start();
    while (run_next(share.first())) {
      if (share.held() < threads && next + 1 < ranges.size() && more.add(share)) start();
    }
    share.enough();
    helpers.join();
  }
};

void Engine::run(std::span<const Input> inputs, std::span<const Output> outputs,
                 const RunOptions& options) const {
  State& state = *state_;
  check_bindings(*state.program, state.limits, inputs, outputs);
  if (options.threads < 0)
    fail(ErrorCode::invalid_argument, "RunOptions::threads is ", options.threads,
         ", expected at least 0");
  if (options.stop.stop_requested()) fail(ErrorCode::cancelled, "the call was cancelled");
  int threads =
      options.threads == 0 ? state.limits.threads : std::min(options.threads, state.limits.threads);

  Slots::Share share(state.slots, options.wait, options.stop);
  RunState& run = *state.runs[share.first()];
  run.bindings.bind(*state.program, inputs, outputs);
  state.measure(run);
  threads = usable_threads(run.costs, run.rows, options.mode, threads);
  // A run that had to wait is not alone, and those before it will mostly be back at once: it stays
  // with its caller's thread, so that callers as many as cores come to compute on one core each.
  MoreSlots more;
  while (!share.waited() && 1 + more.count < threads && more.add(share)) continue;
  share.enough();
  state.schedule(run, options.mode, 1 + more.count);
  state.expect_fit(run, *state.slabs[share.first()], 1 + more.count);
  state.run_inside(run, share, more, options.stop);
  state.run_across(run, share, more, threads, options.stop);
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
  state_->measure(run);
  state_->schedule(run, Mode::across, 1);
  Slab slab(state_->program, state_->meter);
  size_t most = 0;
  for (const Range& range : run.schedule.across) {
    most = std::max(most, slab.plan(run.bindings, run.bindings.group(range.first, range.last), 1));
  }
  return most;
}

void Engine::warm(std::span<const int64_t> lengths) const {
  // Planning makes every product a group needs. Attention's depend on the length of a sequence;
  // those of the Linears on the rows of a group's last tile, of which there are as many as here.
  for (int64_t length : lengths) planned_memory(Batch::dense(1, length));
  constexpr int64_t kTile = 64, kStep = 8;
  for (int64_t rows = kStep; rows <= kTile; rows += kStep) planned_memory(Batch::dense(rows, 1));
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
