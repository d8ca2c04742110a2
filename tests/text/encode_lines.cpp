// Reads texts as JSON strings, one a line, and prints their ids, with --offsets as id:begin:end:
// the other side of --compare of scripts/make_golden_steps.py and make_golden_offsets.py.
#include <iostream>
#include <string>

#include "engine/formats/json.hpp"
#include "headway/headway.hpp"

int main(int argc, char** argv) try {
  const bool offsets = argc == 3 && std::string(argv[2]) == "--offsets";
  if (argc != 2 && !offsets) {
    std::cerr << "usage: encode_lines MODEL_DIRECTORY_OR_FILE [--offsets] < LINES\n";
    return 2;
  }
  const headway::Tokenizer tokenizer = headway::Tokenizer::open(argv[1]);
  std::string line, tokens;
  while (std::getline(std::cin, line)) {
    const auto text = headway::Json::parse(line, "standard input");
    const headway::Encoding encoding = tokenizer.encode(
        text.root().as_string(), {.add_special_tokens = false, .offsets = offsets});
    tokens.clear();
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
      if (i > 0) tokens += ' ';
      tokens += std::to_string(encoding.ids[i]);
      if (!offsets) continue;
      for (const size_t place : {encoding.offsets[i].begin, encoding.offsets[i].end})
        tokens.append(1, ':').append(std::to_string(place));
    }
    std::cout << tokens << '\n';
  }
  return 0;
} catch (const headway::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
