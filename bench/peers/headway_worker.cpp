// Headway as a worker of the comparison with its peers: the requests of bench/peers/protocol.py.
// Usage: bench_headway_worker MODEL THREADS PRECISION
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "headway/embedder.hpp"
#include "headway/engine.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

Precision parse_precision(const std::string& name) {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
    if (name == to_string(precision)) return precision;
  throw std::invalid_argument("unknown precision " + name);
}

std::vector<float> read_numbers(const std::filesystem::path& path, int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(numbers.data()),
          static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  if (!in)
    throw std::runtime_error(path.string() + ": expected " + std::to_string(count) + " numbers");
  return numbers;
}

// The case that is ready to run, and its last result.
class Worker {
 public:
  Worker(std::string model, int threads, Precision precision)
      : model_(std::move(model)), threads_(threads), precision_(precision) {}

  // The fields after "ok".
  std::string answer(const std::vector<std::string>& request) {
    const auto is = [&](const char* name, size_t arguments) {
      return request[0] == name && request.size() == arguments + 1;
    };
    if (is("embed", 2)) return embed(request[1]);
    if (is("layer", 5))
      return layer(request[1], std::stoll(request[2]), std::stoll(request[3]),
                   std::stoll(request[4]), std::stoll(request[5]));
    if (is("run", 1)) return run(std::stoll(request[1]));
    if (is("save", 1)) return save(request[1]);
    throw std::invalid_argument("unknown request " + request[0]);
  }

 private:
  std::string embed(const std::string& file) {
    if (!embedder_)
      embedder_ = Embedder::open(model_, {.threads = threads_, .precision = precision_});
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file);
    texts_.clear();
    for (std::string line; std::getline(in, line);) texts_.push_back(line);
    views_.assign(texts_.begin(), texts_.end());
    result_.assign(texts_.size() * static_cast<size_t>(embedder_->dim()), 0);
    case_ = [this] { embedder_->embed(views_, result_.data()); };
    return "";
  }

  std::string layer(const std::filesystem::path& folder, int64_t sequences, int64_t tokens,
                    int64_t dim, int64_t heads) {
    const auto qkv = read_numbers(folder / "qkv", 3 * dim * dim);
    const auto out = read_numbers(folder / "out", dim * dim);
    const auto bias = read_numbers(folder / "bias", dim);
    Graph graph;
    const Value x = graph.input("x", DType::f32, dim);
    const MultiHeadWeights weights{
        .qkv = {{TensorView(qkv.data(), {3 * dim, dim}), {}}},
        .out = {TensorView(out.data(), {dim, dim}), TensorView(bias.data(), {dim})}};
    graph.output("y", multi_head(graph, x, weights, {.heads = heads}).output);
    const Engine engine = compile(graph, {.threads = threads_}, {.precision = precision_});

    const Batch batch = Batch::dense(sequences, tokens);
    const Shape shape{sequences, tokens, dim};
    x_ = read_numbers(folder / "x", shape.elements());
    result_.assign(x_.size(), 0);
    case_ = [this, engine, batch, shape] {
      engine.run({{"x", batch, TensorView(x_.data(), shape)}},
                 {{"y", MutableTensorView(result_.data(), shape)}});
    };
    return "\t" + std::to_string(engine.planned_memory(batch));
  }

  std::string run(int64_t passes) {
    std::ostringstream seconds;
    seconds.precision(9);
    for (int64_t pass = 0; pass < passes; ++pass) {
      const auto start = std::chrono::steady_clock::now();
      case_();
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      seconds << '\t' << std::fixed << passed.count();
    }
    return seconds.str();
  }

  std::string save(const std::string& file) {
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(result_.data()),
              static_cast<std::streamsize>(result_.size() * sizeof(float)));
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
    return "";
  }

  std::string model_;
  int threads_;
  Precision precision_;
  std::optional<Embedder> embedder_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> views_;
  std::vector<float> x_, result_;
  std::function<void()> case_;
};

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) result.push_back(field);
  return result;
}

void serve(Worker worker) {
  for (std::string line; std::getline(std::cin, line);) {
    std::string reply;
    try {
      reply = "ok" + worker.answer(fields(line));
    } catch (const std::exception& error) {
      reply = error.what();
      std::replace(reply.begin(), reply.end(), '\n', ' ');
      reply = "error\t" + reply;
    }
    std::cout << reply << std::endl;
  }
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s MODEL THREADS PRECISION\n", argv[0]);
    return 2;
  }
  try {
    headway::serve({argv[1], std::stoi(argv[2]), headway::parse_precision(argv[3])});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
