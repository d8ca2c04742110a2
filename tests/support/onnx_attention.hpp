// The ONNX project's own tests of Attention as calls of headway::attention: tests/golden/
// onnx_attention, made by scripts/make_onnx_attention.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/json.hpp"
#include "engine/formats/safetensors.hpp"
#include "headway/attention.hpp"
#include "tests/support/golden.hpp"

namespace headway {

// One case. Its views point into the file that it came from.
struct OnnxAttentionCase {
  std::string name;
  std::string type;  // of Q as ONNX has it: "float32", "float16", "bfloat16"
  StridedView q, k, v;
  AttentionOptions options;  // all but where to write
  // What must come out; absent where the case does not ask for it.
  StridedView y;  // [B, H, Tq, value_size], also where ONNX has rows of tokens
  StridedView present_key, present_value, scores;

  // How far results may be from ONNX's, which have been rounded to the type after each step and lie
  // between -8 and 8.
  double tolerance() const {
    const double unit = type == "float32" ? 0x1p-24 : type == "float16" ? 0x1p-11 : 0x1p-8;
    return 16 * unit;
  }
};

class OnnxAttention {
 public:
  static constexpr size_t kCases = 93;

  OnnxAttention()
      : json_(Json::read_file(golden_path("onnx_attention/cases.json"))),
        tensors_(SafetensorsFile::open(golden_path("onnx_attention/tensors.safetensors"))) {
    for (const JsonNode node : json_.root().elements()) cases_.push_back(read(node));
  }

  const std::vector<OnnxAttentionCase>& cases() const { return cases_; }

 private:
  // Where `values` of the case has this name; absent when it has not. Of three extents, rows of
  // tokens, whose values belong to so many heads, or of up to four.
  StridedView tensor(JsonNode values, const char* name, int64_t heads = 0) const {
    const auto number = values.find(name);
    if (!number) return {};
    const SafetensorsEntry* entry = tensors_.find(number->as_string());
    if (!entry || !entry->dtype) throw std::runtime_error(number->path() + ": no such tensor");
    const void* data = entry->bytes.data();
    const std::vector<int64_t>& shape = entry->shape;
    if (heads > 0 && shape.size() == 3)
      return StridedView::rows(data, shape[0], shape[1], heads, shape[2] / heads, shape[2]);
    std::array<int64_t, 4> extents{1, 1, 1, 1};
    std::copy_backward(shape.begin(), shape.end(), extents.end());
    return StridedView::dense(data, extents, *entry->dtype);
  }

  OnnxAttentionCase read(JsonNode node) const {
    const JsonNode in = node.at("inputs"), out = node.at("outputs"),
                   attributes = node.at("attributes");
    const int64_t heads = attributes.get_int("q_num_heads", 0);
    const int64_t kv_heads = attributes.get_int("kv_num_heads", 0);
    OnnxAttentionCase result;
    result.name = node.at("name").as_string();
    result.type = node.at("type").as_string();
    result.q = tensor(in, "Q", heads);
    result.k = tensor(in, "K", kv_heads);
    result.v = tensor(in, "V", kv_heads);
    result.y = tensor(out, "Y", heads);
    result.present_key = tensor(out, "present_key");
    result.present_value = tensor(out, "present_value");
    result.scores = tensor(out, "qk_matmul_output");

    AttentionOptions& options = result.options;
    options.score_stage = ScoreStage::raw;  // ONNX's default
    for (const JsonNode attribute : attributes.members()) set(options, attribute);
    options.past_key = tensor(in, "past_key");
    options.past_value = tensor(in, "past_value");
    const StridedView mask = tensor(in, "attn_mask");
    (mask.dtype == DType::boolean ? options.mask : options.bias) = mask;
    if (const StridedView lengths = tensor(in, "nonpad_kv_seqlen"))
      options.key_lengths = {static_cast<const int64_t*>(lengths.data),
                             static_cast<size_t>(lengths.extents[3])};
    return result;
  }

  static void set(AttentionOptions& options, JsonNode attribute) {
    const std::string_view name = attribute.key();
    if (name == "scale") {
      options.scale = static_cast<float>(attribute.as_double());
    } else if (name == "softcap") {
      options.softcap = static_cast<float>(attribute.as_double());
    } else if (name == "is_causal") {
      options.causal = attribute.as_int64(0, 1) == 1;
    } else if (name == "left_window_size") {
      options.left_window = window(attribute);
    } else if (name == "right_window_size") {
      options.right_window = window(attribute);
    } else if (name == "qk_matmul_output_mode") {
      options.score_stage = static_cast<ScoreStage>(attribute.as_int64(0, 3));
    } else if (name != "q_num_heads" && name != "kv_num_heads" && name != "softmax_precision") {
      attribute.refuse("an attribute that this test does not know");
    }
  }

  static std::optional<int64_t> window(JsonNode attribute) {
    const int64_t size = attribute.as_int64();
    return size == -1 ? std::nullopt : std::optional(size);
  }

  Json json_;
  SafetensorsFile tensors_;
  std::vector<OnnxAttentionCase> cases_;
};

}  // namespace headway
