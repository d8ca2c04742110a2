// Handles: an object has one user at a time, and a thread finds what it gave back.
#include "engine/ops/handles.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headway {
namespace {

struct Counted {
  explicit Counted(std::atomic<int>& alive) : alive(alive) { ++alive; }
  ~Counted() { --alive; }
  std::atomic<int>& alive;
  std::atomic<int> users{0};
};

TEST(Handles, gives_a_thread_what_it_gave_back) {
  std::atomic<int> alive{0};
  {
    Handles<Counted> handles;
    EXPECT_EQ(handles.take(), nullptr);
    auto object = std::make_unique<Counted>(alive);
    const Counted* address = object.get();
    handles.give_back(std::move(object));
    object = handles.take();
    EXPECT_EQ(object.get(), address);
    // While it is in use there is no other.
    EXPECT_EQ(handles.take(), nullptr);
    handles.give_back(std::move(object));
    // Of two the later one is kept.
    handles.give_back(std::make_unique<Counted>(alive));
    EXPECT_EQ(alive, 1);
    EXPECT_NE(handles.take().get(), address);
    handles.give_back(std::make_unique<Counted>(alive));
  }
  EXPECT_EQ(alive, 0);
}

// More threads than there are places at rest.
TEST(Handles, never_gives_an_object_to_two) {
  std::atomic<int> alive{0}, clashes{0};
  {
    Handles<Counted> handles;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 80; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 500; ++round) {
          std::unique_ptr<Counted> object = handles.take();
          if (object == nullptr) object = std::make_unique<Counted>(alive);
          clashes += ++object->users != 1;
          if (round % 16 == 0) std::this_thread::yield();
          --object->users;
          handles.give_back(std::move(object));
        }
      });
    }
    threads.clear();
    EXPECT_LE(alive, 64);
  }
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace headway
