// headway multihead: the MultiHead layer of a PyTorch state dict on a [B, T, D] array.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/cli/array_file.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/seed_layer.hpp"
#include "engine/formats/npy.hpp"
#include "headway/weights.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string weights, input, output, weights_out;
  int64_t heads = 0;
  std::vector<int64_t> lengths;
  int threads = 0;
  Precision precision = Precision::f32;
};

using Floats = std::vector<float>;

MultiHeadWeights read_weights(const std::string& path) {
  const WeightFile file = WeightFile::open(path);
  MultiHeadWeights weights;
  LinearWeights qkv{.weight = file.at("qkv.weight"), .bias = {}};
  if (file.contains("qkv.bias")) qkv.bias = file.at("qkv.bias");
  weights.qkv = {std::move(qkv)};
  weights.out = {.weight = file.at("out.weight"), .bias = file.at("out.bias")};
  return weights;
}

Batch make_batch(const Arguments& args, const Shape& shape) {
  if (args.lengths.empty()) return Batch::dense(shape[0], shape[1]);
  if (std::cmp_not_equal(args.lengths.size(), shape[0]))
    throw CLI::ValidationError(
        "--lengths", cat(args.lengths.size(), " lengths were given; \"", args.input, "\" is ",
                         shape.to_string(), ", so it takes ", shape[0]));
  for (const int64_t length : args.lengths)
    if (length < 0 || length > shape[1])
      throw CLI::ValidationError("--lengths",
                                 cat("length ", length, " is not in 0..", shape[1],
                                     ", the tokens of a sequence of \"", args.input, "\""));
  return Batch::ragged(args.lengths);
}

// Rows of the first length(b) of T tokens of each sequence, `width` numbers each, without the rest.
Floats pack(const Floats& dense, const Batch& batch, int64_t tokens, int64_t width) {
  Floats packed(static_cast<size_t>(batch.rows() * width));
  for (int64_t b = 0; b < batch.sequences(); ++b)
    std::copy_n(dense.data() + b * tokens * width, batch.length(b) * width,
                packed.data() + batch.offsets()[b] * width);
  return packed;
}

// The opposite; zeros for the rest.
Floats unpack(const Floats& packed, const Batch& batch, int64_t tokens, int64_t width) {
  Floats dense(static_cast<size_t>(batch.sequences() * tokens * width));
  for (int64_t b = 0; b < batch.sequences(); ++b)
    std::copy_n(packed.data() + batch.offsets()[b] * width, batch.length(b) * width,
                dense.data() + b * tokens * width);
  return dense;
}

// [H, length, length] of each sequence, one after the other, to [B, H, T, T] with zeros beyond.
Floats unpack_weights(const Floats& packed, const Batch& batch, int64_t heads, int64_t tokens) {
  Floats dense(static_cast<size_t>(batch.sequences() * heads * tokens * tokens));
  const float* from = packed.data();
  for (int64_t b = 0; b < batch.sequences(); ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t q = 0; q < batch.length(b); ++q, from += batch.length(b))
        std::copy_n(from, batch.length(b), dense.data() + ((b * heads + h) * tokens + q) * tokens);
  return dense;
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  refuse_same_file("--output", args.output, "--weights", args.weights);
  refuse_same_file("--weights-out", args.weights_out, "--input", args.input);
  refuse_same_file("--weights-out", args.weights_out, "--weights", args.weights);
  refuse_same_file("--weights-out", args.weights_out, "--output", args.output);
  NpyArray x = read_npy(args.input);
  if (x.shape.rank() != 3)
    fail(ErrorCode::invalid_argument, "\"", args.input, "\" is ", x.shape.to_string(),
         ", expected [sequences, tokens, dim]");
  const int64_t tokens = x.shape[1], dim = x.shape[2], heads = args.heads;
  const Batch batch = make_batch(args, x.shape);
  // Before the work: a place that cannot be written is known at once.
  ByteSink output_file(args.output);
  output_file.refuse_terminal("use --output FILE or a pipe");
  std::optional<ByteSink> weights_file;
  if (!args.weights_out.empty()) weights_file.emplace(args.weights_out);
  MultiHeadWeights weights = read_weights(args.weights);
  const Weight& qkv = weights.qkv.front().weight;
  if (qkv.shape().rank() == 2 && qkv.shape()[1] != dim)
    fail(ErrorCode::invalid_argument, "\"", args.input, "\" is ", x.shape.to_string(), ", but ",
         qkv.name(), " is ", qkv.shape().to_string(), ": expected D = ", qkv.shape()[1]);
  const Weight& out = weights.out.weight;
  if (out.shape() != Shape{dim, dim})
    fail(ErrorCode::invalid_argument, out.name(), " has the shape ", out.shape().to_string(),
         ", expected ", Shape{dim, dim}.to_string());
  const Engine engine =
      compile_multi_head(std::move(weights), dim, heads, args.threads, args.precision);

  const bool ragged = !args.lengths.empty();
  const Floats rows = ragged ? pack(x.values, batch, tokens, dim) : std::move(x.values);
  const Shape rows_shape{batch.rows(), dim};
  const Input input{"x", batch, TensorView(rows.data(), rows_shape)};
  Floats y(rows.size()), w;
  std::vector<Output> outputs{{"y", MutableTensorView(y.data(), rows_shape)}};
  if (weights_file) {
    const int64_t elements = engine.output_elements("weights", std::span(&input, 1));
    w.resize(checked_cast<size_t>(elements, "attention weights"));
    outputs.push_back({"weights", MutableTensorView(w.data(), {elements})});
  }
  engine.run(std::span(&input, 1), outputs, {.stop = interrupt_token()});
  if (ragged) y = unpack(y, batch, tokens, dim);
  if (ragged && weights_file) w = unpack_weights(w, batch, heads, tokens);

  write_array(output_file, x.shape, y);
  if (weights_file) write_array(*weights_file, {x.shape[0], heads, tokens, tokens}, w);
  output_file.commit();
  if (weights_file) weights_file->commit();
}

}  // namespace

Command add_multihead(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand(
      "multihead", "Run one MultiHead layer, as a PyTorch state dict holds it, on an array");
  const auto file = [&](const char* name, std::string& path, const char* help) {
    return app->add_option(name, path, help)->type_name("FILE");
  };
  file("--weights", args->weights,
       "safetensors file with qkv.weight [3D, D], out.weight [D, D],\n"
       "out.bias [D] and, if the layer has it, qkv.bias [3D]")
      ->required();
  app->add_option("--heads", args->heads, "H, heads; D must be a multiple of it")
      ->required()
      ->type_name("H")
      ->check(positive());
  file("--input", args->input, "X, npy, [B, T, D]")->required();
  file("--output", args->output, "Y, npy, float32 [B, T, D]")->required();
  file("--weights-out", args->weights_out, "W, attention weights, npy, float32 [B, H, T, T]");
  app->add_option("--lengths", args->lengths,
                  "Tokens of each of the B sequences (default: T); what stands beyond\n"
                  "them is not read, and Y and W are 0 there")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("L,L");
  add_threads(*app, args->threads);
  add_precision(*app, args->precision);
  app->footer(
      "Example:\n"
      "  headway multihead --weights layer.safetensors --heads 8 --input x.npy --output y.npy \\\n"
      "    --weights-out w.npy --lengths 7,10");
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
