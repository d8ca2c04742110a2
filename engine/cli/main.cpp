// The command headway: options that hold for all commands, and errors as messages and exit codes.
#include <CLI/CLI.hpp>
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

namespace headway::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

// "headway bench embed", as far as the command line got.
std::string command_name(const CLI::App& app) {
  std::string name = "headway";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  return name;
}

int usage_error(const CLI::App& app, std::string message) {
  const std::string command = command_name(app);
  if (const auto rest = app.remaining(true); !rest.empty()) {
    const std::string& first = rest.front();
    message = first.starts_with("-") ? cat(command, " has no option ", first)
                                     : cat(command, ": unexpected argument \"", first, '"');
  }
  std::fprintf(stderr, "headway: error: %s\nRun \"%s --help\" for what it takes.\n",
               message.c_str(), command.c_str());
  return kUsage;
}

int failure(const std::string& message) {
  if (const int signal = interrupt_signal(); signal != 0) {
    std::fprintf(stderr, "headway: interrupted; no file was written\n");
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
  app.add_option(
         "--isa", isa,
         "Use no newer instructions than these: sse4, avx2, avx512, avx512_vnni, avx512_bf16 or "
         "amx (the environment variable HEADWAY_MAX_ISA does the same)")
      ->type_name("NAME");
  app.footer(
      "\"headway COMMAND --help\" shows the options of a command, with examples.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + signal when interrupted.");
  std::vector<Command> commands{add_embed(app), add_multihead(app), add_info(app)};
  CLI::App* bench = app.add_subcommand("bench", "Measure how fast this machine is");
  bench->require_subcommand(1);
  bench->fallthrough();
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
    return usage_error(app, error.what());
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
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), with a message
  headway::cli::install_interrupts();
  return headway::cli::main_with(argc, argv);
}
