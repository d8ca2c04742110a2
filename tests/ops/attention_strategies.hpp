// What every test of headway::attention runs through.
#pragma once

#include <gtest/gtest.h>

#include "engine/ops/attention.hpp"

namespace headway {

// Calls check(strategy) for the automatic choice and each strategy there is; failures name it.
template <typename Check>
void for_each_strategy(const Check& check) {
  {
    SCOPED_TRACE("automatic");
    check(AttentionStrategy::automatic);
  }
  for (const AttentionMethod& method : attention_methods()) {
    SCOPED_TRACE(method.name);
    check(method.strategy);
  }
}

}  // namespace headway
