// Reads the files of bench/shapes.
#include "bench/support/shapes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace headway {
namespace {

void read_shapes(const std::filesystem::path& path, std::vector<BenchShape>& shapes) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    std::istringstream fields(line);
    if ((fields >> std::ws).eof()) continue;
    BenchShape shape{.source = path.stem().string()};
    fields >> shape.batch >> shape.tokens >> shape.dim >> shape.heads;
    if (!fields || !(fields >> std::ws).eof() ||
        std::min({shape.batch, shape.tokens, shape.dim, shape.heads}) < 1)
      throw std::runtime_error(path.string() + ":" + std::to_string(number) +
                               ": expected four positive numbers, batch tokens dim heads");
    shapes.push_back(shape);
  }
}

}  // namespace

std::string BenchShape::name() const {
  std::ostringstream name;
  name << source << "/" << batch << "x" << tokens << "x" << dim << "_h" << heads;
  return name.str();
}

std::vector<BenchShape> bench_shapes() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEADWAY_SOURCE_DIR "/bench/shapes"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<BenchShape> shapes;
  for (const auto& file : files) read_shapes(file, shapes);
  return shapes;
}

}  // namespace headway
