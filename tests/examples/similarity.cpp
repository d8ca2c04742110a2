// How alike sentences are: embeds a few with a model directory and prints the cosine of each pair.
#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "headway/headway.hpp"

namespace {

// The vectors have length 1, so their dot product is the cosine of the angle between them.
float dot(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}

void print_similarities(const std::string& model_directory) {
  const std::vector<std::string> texts{
      "A cat sleeps on the sofa.",           "A kitten is taking a nap on the couch.",
      "How do I reset my password?",         "I cannot log in to my account.",
      "The train to Vienna leaves at noon.",
  };
  const headway::Embedder embedder = headway::Embedder::open(model_directory);
  const headway::Embeddings vectors = embedder.embed(texts);

  std::printf("%-40s", "");
  for (size_t column = 0; column < texts.size(); ++column) std::printf("      %zu", column + 1);
  std::printf("\n");
  for (size_t row = 0; row < texts.size(); ++row) {
    std::printf("%zu %-38s", row + 1, texts[row].c_str());
    for (size_t column = 0; column < texts.size(); ++column)
      std::printf("  %5.2f", dot(vectors.row(row), vectors.row(column)));
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL_DIRECTORY\n", argv[0]);
    return 2;
  }
  try {
    print_similarities(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
