// Handles of the C interface that close themselves, and what the tests fill in again and again.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "headway/headway.h"
#include "tests/support/random.hpp"

namespace headway::c {

inline const std::string kModel = HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2";

template <typename T>
T sized() {
  T value{};
  value.size = sizeof(T);
  return value;
}

using EmbedderHandle = std::unique_ptr<headway_embedder, decltype(&headway_embedder_close)>;
using TokenizerHandle = std::unique_ptr<headway_tokenizer, decltype(&headway_tokenizer_close)>;
using LayerHandle = std::unique_ptr<headway_multi_head, decltype(&headway_multi_head_close)>;

inline EmbedderHandle open_model() {
  headway_error error = sized<headway_error>();
  headway_embedder* handle = nullptr;
  EXPECT_EQ(headway_embedder_open(kModel.c_str(), nullptr, &handle, &error), HEADWAY_OK)
      << error.message;
  return EmbedderHandle(handle, headway_embedder_close);
}

inline TokenizerHandle open_tokenizer() {
  headway_error error = sized<headway_error>();
  headway_tokenizer* handle = nullptr;
  EXPECT_EQ(headway_tokenizer_open(kModel.c_str(), &handle, &error), HEADWAY_OK) << error.message;
  return TokenizerHandle(handle, headway_tokenizer_close);
}

// A layer [dim 8, 2 heads] with weights of its own.
struct SmallLayer {
  Random random{7};
  LinearNumbers qkv{random, 8, 24}, out{random, 8, 8};
  LayerHandle handle{nullptr, headway_multi_head_close};

  headway_multi_head_weights weights() const {
    auto weights = sized<headway_multi_head_weights>();
    weights.dim = 8;
    weights.qkv_weight = qkv.weight.data();
    weights.qkv_bias = qkv.bias.data();
    weights.out_weight = out.weight.data();
    weights.out_bias = out.bias.data();
    return weights;
  }

  headway_multi_head_options attention() const {
    auto attention = sized<headway_multi_head_options>();
    attention.heads = 2;
    return attention;
  }

  SmallLayer() {
    const headway_multi_head_weights given = weights();
    const headway_multi_head_options how = attention();
    headway_multi_head* layer = nullptr;
    EXPECT_EQ(headway_multi_head_create(&given, &how, nullptr, &layer, nullptr), HEADWAY_OK);
    handle.reset(layer);
  }
};

// Sequences of 3 and 0 and 5 tokens, with room for all results.
struct SmallRun {
  std::vector<int64_t> lengths{3, 0, 5};
  std::vector<float> x = Random(3).normals(64), y = std::vector<float>(64, -1);
  std::vector<float> attention = std::vector<float>(2 * (9 + 25), -1);

  headway_multi_head_request request() {
    auto request = sized<headway_multi_head_request>();
    request.lengths = lengths.data();
    request.sequences = lengths.size();
    request.x = x.data();
    request.x_count = x.size();
    request.y = y.data();
    request.capacity = y.size();
    request.weights = attention.data();
    request.weights_capacity = attention.size();
    return request;
  }
};

}  // namespace headway::c
