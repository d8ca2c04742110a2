// Carries an exception from the threads that help to the one that asked them.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>

namespace headway {

// Keeps the first exception; later ones are dropped. Used by any number of threads at once.
class FirstError {
 public:
  void keep(std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
    kept_.store(true, std::memory_order_release);
  }
  // Whether one has been kept by now.
  bool kept() const { return kept_.load(std::memory_order_acquire); }
  // Throws the one that was kept, if there is one.
  void rethrow() {
    std::lock_guard lock(mutex_);
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> kept_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace headway
