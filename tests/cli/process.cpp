// fork, exec, and pipes or pseudo-terminals.
#include "tests/cli/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace headway::cli {
namespace {

struct Ends {
  int ours, theirs;
};

void keep_to_ourselves(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

Ends open_pipe(bool we_read) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  return we_read ? Ends{ends[0], ends[1]} : Ends{ends[1], ends[0]};
}

Ends open_terminal(bool raw) {
  int ours, theirs;
  if (::openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0)
    throw std::runtime_error("openpty failed");
  termios modes;
  ::tcgetattr(theirs, &modes);
  if (raw) ::cfmakeraw(&modes);  // newlines stay what they are
  ::tcsetattr(theirs, TCSANOW, &modes);
  keep_to_ourselves(ours);
  keep_to_ourselves(theirs);
  return {ours, theirs};
}

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Reads both until both ended. A terminal ends with EIO.
void collect(int out, int err, ProcessResult& result) {
  std::array<pollfd, 2> waiting{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  std::array<char, 65536> buffer;
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    for (size_t i = 0; i < 2; ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      const ssize_t count = ::read(waiting[i].fd, buffer.data(), buffer.size());
      if (count > 0)
        texts[i]->append(buffer.data(), static_cast<size_t>(count));
      else
        waiting[i].fd = -1;
    }
  }
}

}  // namespace

RunningProcess::RunningProcess(const std::vector<std::string>& args,
                               const ProcessOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Ends in = options.terminal_input ? open_terminal(false) : open_pipe(false);
  const Ends out = options.terminal_output ? open_terminal(true) : open_pipe(true);
  const Ends err = options.terminal_error ? open_terminal(true) : open_pipe(true);
  if (!options.input_file.empty()) {
    ::close(in.theirs);
    in.theirs = ::open(options.input_file.c_str(), O_RDONLY | O_CLOEXEC);
    if (in.theirs < 0) throw std::runtime_error("cannot open " + options.input_file);
  }
  std::vector<char*> argv{const_cast<char*>("headway")};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in.theirs, 0);
    ::dup2(out.theirs, 1);
    ::dup2(err.theirs, 2);
    ::signal(SIGPIPE, SIG_DFL);
    for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(HEADWAY_BINARY, argv.data());
    ::_exit(127);
  }
  for (const int fd : {in.theirs, out.theirs, err.theirs}) ::close(fd);
  in_ = in.ours;
  out_ = out.ours;
  err_ = err.ours;
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

RunningProcess::~RunningProcess() {
  for (int* fd : {&in_, &out_, &err_}) close_end(*fd);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void RunningProcess::type(const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(in_, text.data() + done, text.size() - done);
    if (count < 0) return;  // it ended without reading everything
    done += static_cast<size_t>(count);
  }
}

void RunningProcess::close_input() {
  close_end(in_);
}
void RunningProcess::close_output() {
  close_end(out_);
}
void RunningProcess::send(int signal) {
  ::kill(pid_, signal);
}

ProcessResult RunningProcess::wait() {
  ProcessResult result;
  collect(out_, err_, result);
  int status = 0;
  rusage usage = {};
  ::wait4(pid_, &status, 0, &usage);
  pid_ = -1;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.peak_rss = static_cast<int64_t>(usage.ru_maxrss) * 1024;
  return result;
}

ProcessResult run_headway(const std::vector<std::string>& args, const ProcessOptions& options) {
  RunningProcess process(args, options);
  // Of its own thread, so that a process that fills its output first is no deadlock.
  std::thread typist([&] {
    process.type(options.input);
    process.close_input();
  });
  const ProcessResult result = process.wait();
  typist.join();
  return result;
}

}  // namespace headway::cli
