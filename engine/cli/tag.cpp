// headway tag: the entities in texts, one a line.
#include <memory>
#include <string>

#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/json_lines.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/formats/json_writer.hpp"
#include "headway/token_classifier.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, input = "-", output = "-";
  Aggregation aggregation = Aggregation::none;
  EmbedderOptions options;
};

// {"entities": [{"label": "PER", "score": 0.9, "word": "Jim", "begin": 0, "end": 3}]}
std::string line(const std::vector<Entity>& entities) {
  std::vector<std::string> items;
  for (const Entity& entity : entities)
    items.push_back(JsonObjectWriter()
                        .add("label", entity.label)
                        .add("score", entity.score)
                        .add("word", entity.word)
                        .add("begin", entity.begin)
                        .add("end", entity.end)
                        .str());
  return JsonObjectWriter().add_raw("entities", json_array(items)).str() + "\n";
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  LineReader reader(args.input);
  ByteSink sink(args.output);
  const TokenClassifier classifier = TokenClassifier::open(args.model, args.options);
  const EntityOptions chosen{.aggregation = args.aggregation};
  write_json_lines(reader, sink, [&](auto texts, const RunOptions& options, std::string& lines) {
    const Entities entities = classifier.classify(texts, options, chosen);
    for (const auto& of_text : entities.texts) lines += line(of_text);
    return entities.stats;
  });
}

constexpr const char* kFooter =
    "Texts: a line is a text, as for headway embed.\n"
    "\n"
    "Output: a JSON object a line, in the order of the texts: the entities found, but those with\n"
    "the label O. begin and end are bytes of the line.\n"
    "\n"
    "Aggregation, as transformers has it: none (each token for itself), simple (neighbours of one\n"
    "label are one), or of whole words, labelled by their first token (first), the mean over "
    "their\n"
    "tokens (average) or their surest token (max).\n"
    "\n"
    "Examples:\n"
    "  headway tag --model models/bert-base-NER --aggregation simple --input texts.txt";

}  // namespace

Command add_tag(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app =
      parent.add_subcommand("tag", "Find the entities, such as names, in texts, one a line");
  add_model(*app, args->model)->required();
  add_json_lines_files(*app, "Texts", args->input, args->output);
  app->add_option_function<std::string>(
         "--aggregation",
         [args](const std::string& name) {
           for (const Aggregation each :
                {Aggregation::none, Aggregation::simple, Aggregation::first, Aggregation::average,
                 Aggregation::max})
             if (name == to_string(each)) args->aggregation = each;
         },
         "How tokens become entities: none, simple, first, average or max (default: none)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"none", "simple", "first", "average", "max"}).description(""));
  add_open_options(*app, args->options);
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
