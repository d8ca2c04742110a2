// What Embedder and MultiHead say of their memory.
#pragma once

#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <tuple>

#include "headway/engine.hpp"

namespace headway::python {

// Bytes of packed weights, of working memory now, and of the most there ever was.
inline std::tuple<size_t, size_t, size_t> memory_use(const Engine& engine) {
  const EngineInfo info = engine.info();
  return {info.packed_weights, info.memory_in_use, info.peak_memory};
}

}  // namespace headway::python
