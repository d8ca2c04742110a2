// headway bench multihead: the time of one MultiHead layer on random numbers.
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/cli/bench_loop.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/seed_layer.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  int64_t batch = 0, tokens = 0, dim = 0, heads = 0;
  int threads = 0;
  Precision precision = Precision::f32;
  double seconds = 3;
  bool json = false;
};

// A fixed seed: the same numbers in every run.
std::vector<float> random_numbers(int64_t count, auto distribution) {
  std::mt19937 generator(1);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = distribution(generator);
  return numbers;
}

// As torch.nn.Linear initializes: uniform in +-1 / sqrt(in).
std::vector<float> linear_numbers(int64_t count, int64_t in) {
  const float bound = 1 / std::sqrt(static_cast<float>(in));
  return random_numbers(count, std::uniform_real_distribution<float>(-bound, bound));
}

void run(const Arguments& args) {
  const int64_t dim = args.dim;
  const int64_t weight_elements = checked_mul(dim, dim, "--dim");
  const int64_t rows = checked_mul(args.batch, args.tokens, "--batch times --tokens");
  const auto qkv = linear_numbers(checked_mul(weight_elements, 3, "--dim"), dim);
  const auto out = linear_numbers(weight_elements, dim);
  const auto bias = linear_numbers(dim, dim);
  const MultiHeadWeights weights{
      .qkv = {{.weight = {TensorView(qkv.data(), {3 * dim, dim}), "qkv.weight"}, .bias = {}}},
      .out = {.weight = {TensorView(out.data(), {dim, dim}), "out.weight"},
              .bias = {TensorView(bias.data(), {dim}), "out.bias"}}};
  const Engine engine = compile_multi_head(weights, dim, args.heads, args.threads, args.precision);

  const int64_t elements = checked_mul(rows, dim, "--batch times --tokens times --dim");
  const auto x = random_numbers(elements, std::normal_distribution<float>());
  std::vector<float> y(static_cast<size_t>(elements));
  const Batch batch = Batch::dense(args.batch, args.tokens);
  const Shape shape{args.batch, args.tokens, dim};
  const BenchTimes times = time_passes(args.seconds, [&] {
    engine.run({{"x", batch, TensorView(x.data(), shape)}},
               {{"y", MutableTensorView(y.data(), shape)}}, {.stop = interrupt_token()});
  });

  const EngineInfo info = engine.info();
  const double flops = engine.flops(batch);
  if (args.json) {
    print(bench_json(times, info, flops)
              .add("batch", args.batch)
              .add("tokens", args.tokens)
              .add("dim", dim)
              .add("heads", args.heads)
              .str() +
          "\n");
  } else {
    print(cat("MultiHead ", shape.to_string(), ", ", args.heads,
              " heads: ", bench_text(times, info, flops), "\n"));
  }
}

}  // namespace

Command add_bench_multihead(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app =
      parent.add_subcommand("multihead", "Time one MultiHead layer on random numbers of [B, T, D]");
  const auto count = [&](const char* name, int64_t& value, const char* help) {
    app->add_option(name, value, help)->required()->type_name("N")->check(positive());
  };
  count("--batch", args->batch, "B, sequences");
  count("--tokens", args->tokens, "T, tokens of each sequence");
  count("--dim", args->dim, "D, numbers of each token");
  count("--heads", args->heads, "H, heads; D must be a multiple of it");
  add_threads(*app, args->threads);
  add_precision(*app, args->precision);
  add_bench_options(*app, args->seconds, args->json);
  app->footer("Example:\n  headway bench multihead --batch 32 --tokens 128 --dim 384 --heads 12");
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
