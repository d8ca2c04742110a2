// Reads options, and the token that stops runs.
#include "engine/bindings/c/options.hpp"

#include <memory>
#include <stop_token>

#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/open_handles.hpp"
#include "engine/bindings/c/structs.hpp"

struct headway_stop {
  std::stop_source source;
};

namespace headway::c {
namespace {

Precision read_precision(int32_t value) {
  switch (value) {
    case HEADWAY_F32:
      return Precision::f32;
    case HEADWAY_BF16:
      return Precision::bf16;
    case HEADWAY_INT8:
      return Precision::int8;
  }
  fail(ErrorCode::invalid_argument,
       "options.precision: expected HEADWAY_F32, HEADWAY_BF16 or HEADWAY_INT8, found ", value);
}

Mode read_mode(int32_t value) {
  switch (value) {
    case HEADWAY_AUTOMATIC:
      return Mode::automatic;
    case HEADWAY_ACROSS:
      return Mode::across;
    case HEADWAY_INSIDE:
      return Mode::inside;
  }
  fail(ErrorCode::invalid_argument,
       "run.mode: expected HEADWAY_AUTOMATIC, HEADWAY_ACROSS or HEADWAY_INSIDE, found ", value);
}

}  // namespace

EngineOptions read_options(const headway_options* options) {
  if (!options) return {};
  const headway_options given = read_struct(options, "options");
  EngineOptions result;
  result.limits.threads = given.threads;
  result.limits.tokens = given.max_length;
  result.limits.memory = given.memory;
  result.precision = read_precision(given.precision);
  return result;
}

std::stop_token stop_token_of(const headway_stop* stop, std::string_view name) {
  return stop ? find(stop, name)->source.get_token() : std::stop_token();
}

RunOptions read_run_options(const headway_run_options* options) {
  if (!options) return {};
  const headway_run_options given = read_struct(options, "run");
  if (given.threads < 0)
    fail(ErrorCode::invalid_argument, "run.threads: expected 0 or more, found ", given.threads);
  RunOptions result;
  result.threads = given.threads;
  result.mode = read_mode(given.mode);
  result.wait = !read_flag(given.no_wait, "run.no_wait");
  result.stop = stop_token_of(given.stop, "run.stop");
  return result;
}

void write_memory(headway_memory* out, const Engine& engine) {
  const EngineInfo info = engine.info();
  headway_memory memory{};
  memory.packed_weights = info.packed_weights;
  memory.in_use = info.memory_in_use;
  memory.peak = info.peak_memory;
  write_struct(out, "memory", memory);
}

}  // namespace headway::c

headway_status headway_stop_create(headway_stop** stop, headway_error* error) {
  using namespace headway::c;
  return guard(error, [&] { not_null(stop, "stop") = open_handle(headway_stop{}); });
}

void headway_stop_request(headway_stop* stop) {
  // No memory is taken here, and a handle that is not open stops nothing.
  const auto found = headway::c::find_handle(stop, typeid(headway_stop));
  if (found) std::static_pointer_cast<headway_stop>(found)->source.request_stop();
}

void headway_stop_close(headway_stop* stop) {
  headway::c::close_handle(stop);
}
