// The command headway: options that hold for all commands, and errors as messages and exit codes.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/message.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/standard_streams.hpp"
#include "engine/platform/isa.hpp"
#include "headway/error.hpp"
#include "headway/version.h"

namespace headway::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

// The last command on the command line: `embed` of `headway bench embed`.
const CLI::App& last_command(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : last_command(*given.front());
}

// "headway bench embed"
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string subcommand_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return names;
}

// CLI11's message, but for the commonest mistakes one that says where and what instead.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = last_command(app);
  const std::string name = full_name(command), subcommands = subcommand_names(command);
  if (const auto rest = app.remaining(true); !rest.empty()) {
    const auto option = std::find_if(rest.begin(), rest.end(),
                                     [](const std::string& arg) { return arg.starts_with("-"); });
    if (option != rest.end()) return cat(name, " has no option ", *option);
    if (subcommands.empty()) return cat(name, ": unexpected argument \"", rest.front(), '"');
    return cat(name, " has no subcommand \"", rest.front(), "\", only ", subcommands);
  }
  if (!subcommands.empty() && error.get_name() == "RequiredError")
    return cat(name, " needs a subcommand: ", subcommands);
  return error.what();
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::fprintf(stderr, "headway: error: %s\nRun \"%s --help\" for what it takes.\n",
               usage_message(app, error).c_str(), full_name(last_command(app)).c_str());
  return kUsage;
}

const char* signal_name(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

int failure(const std::string& message) {
  if (const int signal = interrupt_signal(); signal != 0) {
    std::fprintf(stderr, "headway: stopped by %s; no file was written\n", signal_name(signal));
    return 128 + signal;
  }
  std::fprintf(stderr, "headway: error: %s\n", message.c_str());
  return kFailed;
}

// Before anything else of the library runs: the choice is fixed by the first use.
void limit_instructions(const std::string& isa) try {
  if (!isa.empty()) set_max_isa(parse_isa(isa));
} catch (const Error& error) {
  throw CLI::ValidationError("--isa", error.what());
}

void run(const std::vector<Command>& commands) {
  for (const Command& command : commands)
    if (command.options->parsed()) return command.run();
}

int main_with(int argc, char** argv) {
  CLI::App app("Runs transformer layers and embedding models on the cores of this machine.",
               "headway");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", "headway " HEADWAY_VERSION);
  std::string isa;
  app.add_option("--isa", isa,
                 "Use no newer instructions than these: sse4, avx2, avx512,\n"
                 "avx512_vnni, avx512_bf16, amx (as HEADWAY_MAX_ISA does)")
      ->type_name("NAME");
  app.footer(
      "\"headway SUBCOMMAND --help\" shows its options and examples.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + signal when interrupted.");
  std::vector<Command> commands{add_embed(app),    add_embed_sparse(app), add_rerank(app),
                                add_classify(app), add_tag(app),          add_fill_mask(app),
                                add_heads(app),    add_multihead(app),    add_info(app)};
  CLI::App* bench = app.add_subcommand("bench", "Measure how fast this machine is");
  bench->require_subcommand(1);
  bench->fallthrough();
  bench->footer("\"headway bench SUBCOMMAND --help\" shows the options and an example.");
  commands.push_back(add_bench_multihead(*bench));
  commands.push_back(add_bench_embed(*bench));
  for (const Command& command : commands) command.options->fallthrough();

  try {
    app.parse(argc, argv);
    limit_instructions(isa);
    run(commands);
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  } catch (const Error& error) {
    return failure(error.what());
  } catch (const std::bad_alloc&) {
    return failure("out of memory");
  } catch (const std::length_error&) {
    return failure("out of memory: a size is beyond what this machine can address");
  } catch (const std::exception& error) {
    return failure(cat("internal: ", error.what()));
  }
}

}  // namespace
}  // namespace headway::cli

int main(int argc, char** argv) {
  headway::cli::open_missing_standard_streams();
  // A closed pipe and a file beyond the shell's limit are errors of write(), with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  headway::cli::install_interrupts();
  return headway::cli::main_with(argc, argv);
}
