// Attention as a function.
#include "headway/attention.hpp"

#include <algorithm>

#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/options.hpp"
#include "engine/bindings/c/structs.hpp"

namespace headway::c {
namespace {

template <typename View, typename Array>
View read_array(const Array& array, DType type = DType::f32) {
  View view;
  view.data = array.data;
  view.dtype = type;
  std::copy_n(array.extents, 4, view.extents.begin());
  std::copy_n(array.strides, 4, view.strides.begin());
  const bool dense =
      std::all_of(array.strides, array.strides + 4, [](int64_t s) { return s == 0; });
  return dense ? View::dense(view.data, view.extents, type) : view;
}

StridedView read_input(const headway_array& array) {
  return read_array<StridedView>(array);
}
MutableStridedView read_output(const headway_output_array& array) {
  return read_array<MutableStridedView>(array);
}

ScoreStage read_stage(int32_t stage) {
  switch (stage) {
    case HEADWAY_SCORES_RAW:
      return ScoreStage::raw;
    case HEADWAY_SCORES_SOFTCAP:
      return ScoreStage::softcap;
    case HEADWAY_SCORES_BIAS:
      return ScoreStage::bias;
    case HEADWAY_SCORES_WEIGHTS:
      return ScoreStage::weights;
    default:
      fail(ErrorCode::invalid_argument,
           "request.score_stage: expected HEADWAY_SCORES_RAW to _WEIGHTS, found ", stage);
  }
}

template <typename T>
std::span<const T> read_span(const T* data, size_t count, std::string_view name) {
  if (count > 0) not_null(data, name);
  return {data, count};
}

void attend(const headway_attention_request* request) {
  const headway_attention_request given = read_struct(request, "request");
  AttentionOptions options;
  if (given.scale != 0) options.scale = given.scale;
  options.softcap = given.softcap;
  options.causal = read_flag(given.causal, "request.causal");
  options.bottom_right = read_flag(given.bottom_right, "request.bottom_right");
  if (read_flag(given.has_left_window, "request.has_left_window"))
    options.left_window = given.left_window;
  if (read_flag(given.has_right_window, "request.has_right_window"))
    options.right_window = given.right_window;
  options.key_lengths = read_span(given.key_lengths, given.key_length_count, "request.key_lengths");
  options.mask = read_array<StridedView>(given.mask, DType::boolean);
  options.bias = read_input(given.bias);
  options.alibi_slopes =
      read_span(given.alibi_slopes, given.alibi_slope_count, "request.alibi_slopes");
  if (given.relative_bias != nullptr) {
    options.relative_bias =
        TensorView(given.relative_bias, {given.relative_bias_heads, given.relative_bias_distances});
  }
  options.past_key = read_input(given.past_key);
  options.past_value = read_input(given.past_value);
  options.present_key = read_output(given.present_key);
  options.present_value = read_output(given.present_value);
  options.scores = read_output(given.scores);
  options.score_stage = read_stage(given.score_stage);
  options.threads = given.threads;
  options.stop = stop_token_of(given.stop, "request.stop");
  attention(read_input(given.q), read_input(given.k), read_input(given.v), read_output(given.out),
            options);
}

}  // namespace
}  // namespace headway::c

headway_status headway_attention(const headway_attention_request* request, headway_error* error) {
  return headway::c::guard(error, [&] { headway::c::attend(request); });
}
