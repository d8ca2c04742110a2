// Calls without the interpreter's lock, and with an eye on signals.
#include "engine/bindings/python/calls.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "engine/bindings/python/parts.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

constexpr double kBrief = 2e9;
constexpr std::chrono::milliseconds kBetweenLooks(50);

// A call under way on a thread of its own.
class Call {
 public:
  explicit Call(const std::function<void()>& work)
      : thread_([this, &work] {
          try {
            work();
          } catch (...) {
            error_ = std::current_exception();
          }
          std::lock_guard lock(mutex_);
          ended_ = true;
          changed_.notify_one();
        }) {}

  // Whether it has ended, after a moment's wait.
  bool has_ended() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kBetweenLooks, [&] { return ended_; });
  }
  // Waits, and throws what the call threw.
  void end() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr error_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

void call_library(const CancelToken* cancel, double flops,
                  const std::function<void(const std::stop_token&)>& work) {
  const std::stop_token token = cancel ? cancel->source.get_token() : std::stop_token();
  bool interrupted = false;
  {
    const nb::gil_scoped_release others_may_run;
    if (flops < kBrief || ::gettid() != ::getpid()) return work(token);
    std::stop_source source;
    const std::stop_callback forward(token, [&] { source.request_stop(); });
    const std::function<void()> stoppable = [&] { work(source.get_token()); };
    std::optional<Call> call;
    try {
      call.emplace(stoppable);
    } catch (const std::system_error&) {
      return work(token);  // the system has no more threads to give
    }
    while (!interrupted && !call->has_ended()) {
      const nb::gil_scoped_acquire own;
      interrupted = PyErr_CheckSignals() != 0;
    }
    if (interrupted) source.request_stop();
    try {
      call->end();
    } catch (const std::exception&) {
      if (!interrupted) throw;
    }
  }
  if (interrupted) throw nb::python_error();
}

void add_cancel_token(nb::module_& module) {
  nb::class_<CancelToken>(module, "CancelToken",
                          "Ends calls early: those that were given it, and those that will be, "
                          "raise headway.Error with the code \"cancelled\" within a tenth of a "
                          "second. Any thread may ask.")
      .def(nb::init<>())
      .def(
          "cancel", [](CancelToken& token) { token.source.request_stop(); },
          "Ends the calls. There is no way back: a token is for one occasion.")
      .def_prop_ro("cancelled",
                   [](const CancelToken& token) { return token.source.stop_requested(); });
}

}  // namespace headway::python
