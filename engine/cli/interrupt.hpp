// Ctrl-C and its kin: asks the running command to stop, and sees to it that the process ends.
#pragma once

#include <stop_token>

namespace headway::cli {

// Takes over SIGINT, SIGTERM and SIGHUP, but not those the process was started to ignore (nohup).
// Call once, from the main thread, before any other thread exists: the signals are blocked in every
// thread and waited for by one of their own.
//
// The first signal fires interrupt_token() and wakes the main thread from blocking system calls
// (they give EINTR; call check_interrupt then), so that the stack unwinds and unfinished files go.
// A second signal, or a main thread that has not ended within 2 seconds, ends the process at once
// with exit code 128 + signal, and unfinished files go all the same.
void install_interrupts();

// Fires at the first signal. For RunOptions::stop.
std::stop_token interrupt_token();

// The first signal caught, or 0.
int interrupt_signal();

// Error(cancelled) once a signal was caught.
void check_interrupt();

}  // namespace headway::cli
