// Reads texts as JSON strings, one a line, and prints their ids: the other side of
// scripts/make_golden_steps.py --compare.
#include <iostream>
#include <string>

#include "engine/formats/json.hpp"
#include "headway/headway.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: encode_lines MODEL_DIRECTORY < LINES\n";
    return 2;
  }
  const headway::Tokenizer tokenizer = headway::Tokenizer::open(argv[1]);
  std::string line, ids;
  while (std::getline(std::cin, line)) {
    const auto text = headway::Json::parse(line, "standard input");
    ids.clear();
    for (const int32_t id :
         tokenizer.encode(text.root().as_string(), {.add_special_tokens = false}).ids) {
      if (!ids.empty()) ids += ' ';
      ids += std::to_string(id);
    }
    std::cout << ids << '\n';
  }
  return 0;
} catch (const headway::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
