// Work on a thread with as little stack as the README promises to do with.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <functional>

namespace headway {

// 256 KiB. A thread of musl has 128 KiB, one of glibc 8 MiB. The address sanitizer's frames are
// larger. `work` must not throw.
inline void on_small_stack(const std::function<void()>& work) {
#ifdef __SANITIZE_ADDRESS__
  constexpr size_t kStack = 4 << 20;
#else
  constexpr size_t kStack = 256 << 10;
#endif
  const auto run = [](void* function) -> void* {
    (*static_cast<const std::function<void()>*>(function))();
    return nullptr;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)),
            0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace headway
