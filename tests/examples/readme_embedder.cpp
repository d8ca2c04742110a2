// Texts to vectors.
#include <iostream>
#include <string>
#include <vector>

#include "headway/headway.hpp"

int main() {
  const auto embedder = headway::Embedder::open("models/all-MiniLM-L6-v2");
  const std::vector<std::string> texts{"A cat sleeps on the sofa.", "Reset my password"};
  const headway::Embeddings vectors = embedder.embed(texts);  // float32 [texts, dim]
  std::cout << vectors.texts << " texts, " << vectors.dim << " numbers each; the first starts with "
            << vectors.row(0)[0] << "\n";
}
