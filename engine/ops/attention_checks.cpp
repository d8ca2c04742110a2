// Checks of attention()'s arguments.
#include "engine/ops/attention_checks.hpp"

#include <algorithm>
#include <string>

#include "engine/base/checked.hpp"
#include "engine/base/message.hpp"
#include "engine/ops/score_options.hpp"

namespace headway {
namespace {

using Extents = std::array<int64_t, 4>;

constexpr const char* kWhere = "attention: ";

template <typename... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ErrorCode::invalid_argument, kWhere, parts...);
}

std::string text(const Extents& extents) {
  return cat("[", extents[0], ", ", extents[1], ", ", extents[2], ", ", extents[3], "]");
}

void expect_type(const char* name, DType type, DType expected) {
  if (type != expected) refuse(name, " is ", to_string(type), ", expected ", to_string(expected));
}

bool is_empty(const Extents& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

// Extents and strides with which every element can be reached.
template <typename View>
void check_memory(const char* name, const View& view) {
  int64_t last = 0;
  for (size_t axis = 0; axis < 4; ++axis) {
    if (view.extents[axis] < 0)
      refuse(name, " has the shape ", text(view.extents), ", expected no negative extent");
    if (view.strides[axis] < 0)
      refuse(name, " has the strides ", text(view.strides), ", expected none below 0");
    if (view.extents[axis] == 0) continue;
    last = checked_add(last, checked_mul(view.extents[axis] - 1, view.strides[axis], name), name);
  }
  checked_mul(checked_add(last, 1, name), static_cast<int64_t>(size_of(view.dtype)), name);
  if (!is_empty(view.extents) && view.data == nullptr)
    refuse(name, " ", text(view.extents), " has no data");
}

template <typename View>
void check_rows(const char* name, const View& view) {
  expect_type(name, view.dtype, DType::f32);
  check_memory(name, view);
  if (view.extents[3] > 1 && view.strides[3] != 1)
    refuse(name, " has the last stride ", view.strides[3], ", expected 1");
  if (view.extents[2] > 1 && view.strides[2] < view.extents[3])
    refuse(name, " has the stride ", view.strides[2], " from token to token, expected at least ",
           view.extents[3]);
}

template <typename View>
void expect_extents(const char* name, const View& view, const Extents& expected) {
  if (view.extents != expected)
    refuse(name, " has the shape ", text(view.extents), ", expected ", text(expected));
}

// An output: no element twice.
void check_output(const char* name, const MutableStridedView& view, const Extents& expected) {
  expect_extents(name, view, expected);
  check_rows(name, view);
  if (is_empty(view.extents)) return;
  std::array<size_t, 4> axes{0, 1, 2, 3};
  std::sort(axes.begin(), axes.end(),
            [&](size_t a, size_t b) { return view.strides[a] < view.strides[b]; });
  int64_t span = 1;  // of the axes so far
  for (const size_t axis : axes) {
    if (view.extents[axis] == 1) continue;
    if (view.strides[axis] < span)
      refuse(name, " ", text(view.extents), " has the strides ", text(view.strides),
             ", with which elements overlap");
    span += (view.extents[axis] - 1) * view.strides[axis];
  }
}

void check_scores_input(const char* name, const StridedView& view, const AttentionSizes& s) {
  if (!view && view.extents == Extents{}) return;
  check_memory(name, view);
  const Extents full{s.batch, s.heads, s.queries, s.all_keys()};
  bool fits = view.extents[3] <= std::max<int64_t>(s.all_keys(), 1);
  for (size_t axis = 0; axis < 3; ++axis)
    fits = fits && (view.extents[axis] == full[axis] || view.extents[axis] == 1);
  if (!fits)
    refuse(name, " has the shape ", text(view.extents), ", expected ", text(full),
           ", where 1 stands for all and there may be fewer keys");
  if (view.extents[3] > 1 && view.strides[3] != 1)
    refuse(name, " has the last stride ", view.strides[3], ", expected 1");
}

void check_numbers(const AttentionOptions& o, const AttentionSizes& s) {
  check_score_options(o, s.heads, kWhere);
  if (o.score_stage > ScoreStage::weights)
    refuse("score stage ", static_cast<int>(o.score_stage), " is not known");
  if (o.threads < 0) refuse("threads is ", o.threads, ", expected at least 0");
  const TensorView& relative = o.relative_bias;
  if (relative.data != nullptr || relative.shape.rank() != 0) {
    expect_type("relative_bias", relative.dtype, DType::f32);
    check_relative_bias(relative.shape, s.heads, cat(kWhere, "relative_bias"));
    relative.bytes();
    if (relative.data == nullptr)
      refuse("relative_bias ", relative.shape.to_string(), " has no data");
  }
}

void check_positions(const AttentionOptions& o, const AttentionSizes& s) {
  if (!o.key_lengths.empty()) {
    if (static_cast<int64_t>(o.key_lengths.size()) != s.batch)
      refuse("key_lengths has ", o.key_lengths.size(), " numbers, expected one for each of ",
             s.batch, " sequences");
    for (const int64_t length : o.key_lengths) {
      if (length < 0 || length > s.keys)
        refuse("key_lengths has ", length, ", expected 0 to ", s.keys);
    }
    if (o.past_key) refuse("key_lengths do not go together with past_key");
  }
  if (o.bottom_right && (o.past_key || !o.key_lengths.empty()))
    refuse("bottom_right does not go together with past_key or key_lengths");
}

}  // namespace

AttentionSizes check(const StridedView& q, const StridedView& k, const StridedView& v,
                     const MutableStridedView& out, const AttentionOptions& o) {
  check_rows("q", q);
  check_rows("k", k);
  check_rows("v", v);
  AttentionSizes s{.batch = q.extents[0],
                   .heads = q.extents[1],
                   .kv_heads = k.extents[1],
                   .queries = q.extents[2],
                   .past = 0,
                   .keys = k.extents[2],
                   .size = q.extents[3],
                   .value_size = v.extents[3],
                   .scores = 0};
  if (s.heads < 1 || s.size < 1)
    refuse("q has the shape ", text(q.extents), ", expected at least one head of at least size 1");
  if (s.kv_heads < 1 || s.heads % s.kv_heads != 0)
    refuse("k has ", s.kv_heads, " heads, expected a divisor of q's ", s.heads);
  expect_extents("k", k, {s.batch, s.kv_heads, s.keys, s.size});
  if (s.value_size < 1) refuse("v has the shape ", text(v.extents), ", expected at least size 1");
  expect_extents("v", v, {s.batch, s.kv_heads, s.keys, s.value_size});
  const bool has_past = o.past_key || o.past_key.extents != Extents{};
  if (has_past != (o.past_value || o.past_value.extents != Extents{}))
    refuse("past_key and past_value go together, but one is missing");
  if (has_past) {
    s.past = o.past_key.extents[2];
    check_rows("past_key", o.past_key);
    check_rows("past_value", o.past_value);
    expect_extents("past_key", o.past_key, {s.batch, s.kv_heads, s.past, s.size});
    expect_extents("past_value", o.past_value, {s.batch, s.kv_heads, s.past, s.value_size});
  }
  const int64_t keys = checked_add(s.past, s.keys, "keys of attention");
  s.scores =
      checked_mul(checked_mul(s.batch, s.heads, "scores of attention"),
                  checked_mul(s.queries, keys, "scores of attention"), "scores of attention");
  checked_mul(s.scores, static_cast<int64_t>(sizeof(float)), "scores of attention");

  check_output("out", out, {s.batch, s.heads, s.queries, s.value_size});
  if (o.present_key)
    check_output("present_key", o.present_key, {s.batch, s.kv_heads, keys, s.size});
  if (o.present_value)
    check_output("present_value", o.present_value, {s.batch, s.kv_heads, keys, s.value_size});
  if (o.scores) check_output("scores", o.scores, {s.batch, s.heads, s.queries, keys});
  if (o.mask || o.mask.extents != Extents{}) expect_type("mask", o.mask.dtype, DType::boolean);
  check_scores_input("mask", o.mask, s);
  if (o.bias || o.bias.extents != Extents{}) expect_type("bias", o.bias.dtype, DType::f32);
  check_scores_input("bias", o.bias, s);
  check_numbers(o, s);
  check_positions(o, s);
  return s;
}

}  // namespace headway
