// The options that embedders and layers share.
#pragma once

#include "headway/engine.hpp"
#include "headway/headway.h"

namespace headway::c {

struct EngineOptions {
  Limits limits;
  Precision precision = Precision::f32;
};

// `options` may be NULL: then the defaults.
EngineOptions read_options(const headway_options* options);
RunOptions read_run_options(const headway_run_options* options);

void write_memory(headway_memory* out, const Engine& engine);

}  // namespace headway::c
