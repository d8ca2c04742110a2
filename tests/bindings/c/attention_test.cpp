// Attention through the C interface gives what C++ gives, and refuses what C++ refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headway/attention.hpp"
#include "tests/bindings/c/handles.hpp"

namespace headway::c {
namespace {

// B = 2, H = 4, KV = 2, Tq = 3, P = 2, Tk = 3, size 5, value size 6.
struct Numbers {
  Random random{3};
  std::vector<float> q = random.normals(2 * 4 * 3 * 5), k = random.normals(2 * 2 * 3 * 5),
                     v = random.normals(2 * 2 * 3 * 6), past_k = random.normals(2 * 2 * 2 * 5),
                     past_v = random.normals(2 * 2 * 2 * 6), bias = random.normals(3 * 5),
                     slopes = random.normals(4), relative = random.normals(4 * 3);
  std::vector<uint8_t> mask = {1, 1, 1, 0, 1};
  std::vector<float> out = std::vector<float>(2 * 4 * 3 * 6),
                     scores = std::vector<float>(2 * 4 * 15),
                     present_k = std::vector<float>(2 * 2 * 5 * 5),
                     present_v = std::vector<float>(2 * 2 * 5 * 6);

  headway_attention_request request() {
    auto request = sized<headway_attention_request>();
    request.q = {q.data(), {2, 4, 3, 5}, {}};
    request.k = {k.data(), {2, 2, 3, 5}, {30, 15, 5, 1}};
    request.v = {v.data(), {2, 2, 3, 6}, {}};
    request.out = {out.data(), {2, 4, 3, 6}, {}};
    return request;
  }
};

TEST(CAttention, ResultsAreThoseOfCpp) {
  Numbers c, cpp;
  auto request = c.request();
  request.scale = 0.7f;
  request.softcap = 2;
  request.causal = 1;
  request.has_left_window = 1;
  request.left_window = 3;
  request.mask = {c.mask.data(), {1, 1, 1, 5}, {}};
  request.bias = {c.bias.data(), {1, 1, 3, 5}, {}};
  request.alibi_slopes = c.slopes.data();
  request.alibi_slope_count = 4;
  request.relative_bias = c.relative.data();
  request.relative_bias_heads = 4;
  request.relative_bias_distances = 3;
  request.past_key = {c.past_k.data(), {2, 2, 2, 5}, {}};
  request.past_value = {c.past_v.data(), {2, 2, 2, 6}, {}};
  request.present_key = {c.present_k.data(), {2, 2, 5, 5}, {}};
  request.present_value = {c.present_v.data(), {2, 2, 5, 6}, {}};
  request.scores = {c.scores.data(), {2, 4, 3, 5}, {}};
  request.score_stage = HEADWAY_SCORES_BIAS;
  auto error = sized<headway_error>();
  ASSERT_EQ(headway_attention(&request, &error), HEADWAY_OK) << error.message;

  attention(StridedView::dense(cpp.q.data(), {2, 4, 3, 5}),
            StridedView::dense(cpp.k.data(), {2, 2, 3, 5}),
            StridedView::dense(cpp.v.data(), {2, 2, 3, 6}),
            MutableStridedView::dense(cpp.out.data(), {2, 4, 3, 6}),
            {.scale = 0.7f,
             .softcap = 2,
             .causal = true,
             .left_window = 3,
             .mask = StridedView::dense(cpp.mask.data(), {1, 1, 1, 5}, DType::boolean),
             .bias = StridedView::dense(cpp.bias.data(), {1, 1, 3, 5}),
             .alibi_slopes = cpp.slopes,
             .relative_bias = TensorView(cpp.relative.data(), {4, 3}),
             .past_key = StridedView::dense(cpp.past_k.data(), {2, 2, 2, 5}),
             .past_value = StridedView::dense(cpp.past_v.data(), {2, 2, 2, 6}),
             .present_key = MutableStridedView::dense(cpp.present_k.data(), {2, 2, 5, 5}),
             .present_value = MutableStridedView::dense(cpp.present_v.data(), {2, 2, 5, 6}),
             .scores = MutableStridedView::dense(cpp.scores.data(), {2, 4, 3, 5}),
             .score_stage = ScoreStage::bias});
  EXPECT_EQ(c.out, cpp.out);
  EXPECT_EQ(c.scores, cpp.scores);
  EXPECT_EQ(c.present_k, cpp.present_k);
  EXPECT_EQ(c.present_v, cpp.present_v);
}

TEST(CAttention, ReadsKeyLengths) {
  Numbers c;
  const int64_t lengths[] = {1, 3};
  auto request = c.request();
  request.key_lengths = lengths;
  request.key_length_count = 2;
  ASSERT_EQ(headway_attention(&request, nullptr), HEADWAY_OK);
  // The first sequence sees one key: its value.
  for (int i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(c.out[i], c.v[i]);
}

TEST(CAttention, RefusesWhatCannotBe) {
  Numbers c;
  auto error = sized<headway_error>();
  const auto refused = [&](const char* text, const headway_attention_request& request) {
    EXPECT_EQ(headway_attention(&request, &error), HEADWAY_INVALID_ARGUMENT);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  };
  EXPECT_EQ(headway_attention(nullptr, &error), HEADWAY_INVALID_ARGUMENT);
  auto request = c.request();
  request.causal = 2;
  refused("request.causal: expected 0 or 1, found 2", request);
  request = c.request();
  request.score_stage = 9;
  refused("request.score_stage: expected", request);
  request = c.request();
  request.key_length_count = 2;
  refused("request.key_lengths: expected a pointer", request);
  request = c.request();
  request.v.extents[2] = 4;
  refused("v has the shape [2, 2, 4, 6], expected [2, 2, 3, 6]", request);
  request = c.request();
  request.k.data = nullptr;
  refused("k [2, 2, 3, 5] has no data", request);
}

}  // namespace
}  // namespace headway::c
