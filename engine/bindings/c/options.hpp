// The options that embedders and layers share.
#pragma once

#include <stop_token>
#include <string_view>

#include "headway/engine.hpp"
#include "headway/headway.h"

namespace headway::c {

struct EngineOptions {
  Limits limits;
  Precision precision = Precision::f32;
};

// `options` may be NULL: then the defaults.
EngineOptions read_options(const headway_options* options);
// `stop` may be NULL: then a token that nothing stops. `name` is that of the field.
std::stop_token stop_token_of(const headway_stop* stop, std::string_view name);
RunOptions read_run_options(const headway_run_options* options);

void write_memory(headway_memory* out, const Engine& engine);

}  // namespace headway::c
