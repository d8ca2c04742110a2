// Calls of the library that Python can end: by a CancelToken, and by Ctrl-C.
#pragma once

#include <functional>
#include <stop_token>

#include <nanobind/nanobind.h>

namespace headway::python {

// What the caller holds to end calls early.
struct CancelToken {
  std::stop_source source;
};

// Calls work(stop) without the interpreter's lock. `cancel` may be null; `flops` is about what the
// call computes. On the process's main thread, where Python handles signals, work of more than some
// 20 ms runs on a thread of its own, which costs 50 us, while this one looks for signals 20 times a
// second: what their handlers raise, as KeyboardInterrupt, ends the work and is thrown.
void call_library(const CancelToken* cancel, double flops,
                  const std::function<void(const std::stop_token&)>& work);

}  // namespace headway::python
