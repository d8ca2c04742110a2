// Runs something in a forked child of the test, and never waits for it for ever.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace headway {

// The wait status of a child that calls `body` and exits with what it returns; -1 when it took
// longer than half a minute and was killed, -2 when there was none.
template <typename Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  if (child < 0) return -2;
  if (child == 0) {
    int code = 101;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  for (int i = 0; i < 3000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

inline bool exited_with(int status, int code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

}  // namespace headway
