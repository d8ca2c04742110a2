// Runs the built command `headway` as a process of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headway::cli {

struct ProcessOptions {
  std::string input = {};       // for its standard input
  std::string input_file = {};  // instead of `input`
  // Whether it is a terminal: for input one where Ctrl-D ("\x04") ends a text, for the others one
  // whose bytes are captured all the same.
  bool terminal_input = false;
  bool terminal_output = false;
  bool terminal_error = false;
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to this process's own
};

struct ProcessResult {
  int code = -1;  // of exit(); -signal when a signal ended it
  std::string out, err;
  int64_t peak_rss = 0;  // bytes
};

// Runs it to its end.
ProcessResult run_headway(const std::vector<std::string>& args, const ProcessOptions& options = {});

// Runs it with a standard input that stays open, for signals and pipes.
class RunningProcess {
 public:
  explicit RunningProcess(const std::vector<std::string>& args, const ProcessOptions& options = {});
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  // Writes to its standard input, and returns when all is in the pipe.
  void type(const std::string& text);
  void close_input();
  // Closes the reading end of its standard output.
  void close_output();
  void send(int signal);
  // Collects output until it ends.
  ProcessResult wait();

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
};

}  // namespace headway::cli
