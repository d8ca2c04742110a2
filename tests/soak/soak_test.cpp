// Eight threads do what servers do, at random, until time is up: all results are right, and what
// the process holds levels off.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

#include "engine/platform/cpu.hpp"
#include "headway/attention.hpp"
#include "headway/headway.h"
#include "tests/soak/resources.hpp"
#include "tests/soak/workload.hpp"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8, kRounds = 20;

// With HEADWAY_LONG_TESTS=1 five minutes.
int seconds_to_soak() {
  const char* set = std::getenv("HEADWAY_LONG_TESTS");
  return set != nullptr && set == std::string_view("1") ? 300 : 10;
}

// The stop source of the call that each thread has under way.
class Stops {
 public:
  std::stop_token next(size_t thread) {
    std::lock_guard lock(mutex_);
    sources_[thread] = std::stop_source();
    return sources_[thread].get_token();
  }
  void request(size_t thread) {
    std::lock_guard lock(mutex_);
    sources_[thread].request_stop();
  }

 private:
  std::mutex mutex_;
  std::array<std::stop_source, kThreads> sources_;
};

struct Counts {
  std::atomic<int64_t> calls{0}, wrong{0}, busy{0}, cancelled{0};
};

// One of the eight.
class Caller {
 public:
  Caller(size_t number, const Models& models, const Layer& layer, headway_embedder* handle,
         Stops& stops, Counts& counts)
      : number_(number),
        models_(models),
        layer_(layer),
        handle_(handle),
        stops_(stops),
        counts_(counts),
        random_(static_cast<uint32_t>(number)) {}

  void call() {
    ++counts_.calls;
    try {
      switch (below(10)) {
        case 0:
          return run_layer();
        case 1:
          return attend();
        case 2:
          return embed_from_c();
        case 3:
          return models_.embedders[below(2)].engine().trim();
        default:
          return embed();
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::busy) {
        ++counts_.busy;
      } else if (error.code() == ErrorCode::cancelled) {
        ++counts_.cancelled;
      } else {
        ++counts_.wrong;
      }
    }
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  RunOptions options() {
    RunOptions options;
    options.threads = static_cast<int>(below(3));
    options.mode = std::array{Mode::automatic, Mode::across, Mode::inside}[below(3)];
    options.wait = below(4) > 0;
    options.stop = stops_.next(number_);
    return options;
  }

  std::vector<size_t> choice() {
    std::vector<size_t> chosen(below(below(4) == 0 ? 40 : 5));
    for (size_t& text : chosen) text = below(models_.texts.size());
    return chosen;
  }

  void expect_vectors(const std::vector<size_t>& chosen, const std::vector<float>& vectors,
                      size_t model) {
    const size_t dim = 384;
    for (size_t i = 0; i < chosen.size(); ++i) {
      counts_.wrong += std::memcmp(&vectors[i * dim], &models_.expected[model][chosen[i] * dim],
                                   dim * sizeof(float)) != 0;
    }
  }

  void embed() {
    const size_t model = below(2);
    const std::vector<size_t> chosen = choice();
    std::vector<std::string_view> texts;
    for (const size_t i : chosen) texts.push_back(models_.texts[i]);
    expect_vectors(chosen, models_.embedders[model].embed(texts, options()).values, model);
  }

  void embed_from_c() {
    headway_embedder* own = nullptr;
    counts_.wrong += headway_embedder_copy(handle_, &own, nullptr) != HEADWAY_OK;
    const std::vector<size_t> chosen = choice();
    std::vector<headway_text> texts;
    for (const size_t i : chosen)
      texts.push_back({models_.texts[i].data(), models_.texts[i].size()});
    std::vector<float> vectors(chosen.size() * 384);
    headway_embed_request request{};
    request.size = sizeof(request);
    request.texts = texts.data();
    request.count = texts.size();
    request.vectors = vectors.data();
    request.capacity = vectors.size();
    counts_.wrong += headway_embed(own, &request, nullptr) != HEADWAY_OK;
    headway_embedder_close(own);
    expect_vectors(chosen, vectors, 0);
  }

  void run_layer() {
    const auto tokens = static_cast<int64_t>(below(700)), copies = static_cast<int64_t>(below(5));
    const std::vector<float> y = layer_.run(tokens, copies, options());
    const auto one = static_cast<size_t>(tokens * Layer::kWidth);
    for (size_t i = one; i < y.size(); ++i) counts_.wrong += y[i] != y[i - one];
  }

  void attend() {
    const auto tokens = static_cast<int64_t>(below(700));
    const std::array<int64_t, 4> shape{1, Layer::kHeads, tokens, Layer::kWidth / Layer::kHeads};
    std::vector<float> y(static_cast<size_t>(tokens * Layer::kWidth)), again(y.size());
    const StridedView in = StridedView::dense(layer_.x.data(), shape);
    AttentionOptions options;
    options.causal = true;
    options.stop = stops_.next(number_);
    for (std::vector<float>* out : {&y, &again}) {
      options.threads = static_cast<int>(below(3));
      attention(in, in, in, MutableStridedView::dense(out->data(), shape), options);
    }
    counts_.wrong += y != again;
  }

  const size_t number_;
  const Models& models_;
  const Layer& layer_;
  headway_embedder* const handle_;
  Stops& stops_;
  Counts& counts_;
  std::mt19937 random_;
};

headway_embedder* open_from_c() {
  headway_options options{};
  options.size = sizeof(options);
  options.threads = 2;
  headway_embedder* handle = nullptr;
  EXPECT_EQ(headway_embedder_open(real_model_directory().c_str(), &options, &handle, nullptr),
            HEADWAY_OK);
  return handle;
}

// The mean over some rounds.
double memory(const std::vector<Resources>& rounds, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += rounds[i].memory;
  return sum / static_cast<double>(end - begin);
}

TEST(Soak, LevelsOff) {
  const Models models;
  const Layer layer;
  headway_embedder* handle = open_from_c();
  Stops stops;
  Counts counts;
  std::vector<Resources> rounds;
  const auto round_time = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds_to_soak() / static_cast<double>(kRounds)));
  std::atomic<Clock::time_point> round_end{Clock::now() + round_time};

  // Between two rounds nobody computes: the last to come looks at what is held.
  std::barrier pause(kThreads, [&]() noexcept {
    for (const Embedder& embedder : models.embedders) {
      embedder.engine().trim();
      counts.wrong += embedder.engine().info().memory_in_use != 0;
    }
    layer.engine.trim();
    headway_embedder_trim(handle, nullptr);
    rounds.push_back(resources_now());
    round_end = Clock::now() + round_time;
  });
  {
    std::jthread canceller([&](const std::stop_token& done) {
      for (size_t i = 0; !done.stop_requested(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        stops.request(i * 5 % kThreads);
      }
    });
    std::vector<std::jthread> callers;
    for (size_t i = 0; i < kThreads; ++i) {
      callers.emplace_back([&, i] {
        Caller caller(i, models, layer, handle, stops, counts);
        for (int round = 0; round < kRounds; ++round) {
          while (Clock::now() < round_end.load()) caller.call();
          pause.arrive_and_wait();
        }
      });
    }
    callers.clear();
  }
  headway_embedder_close(handle);

  const Resources &middle = rounds[kRounds / 2], &last = rounds.back();
  std::cout << counts.calls << " calls, " << counts.busy << " busy, " << counts.cancelled
            << " cancelled; " << rounds[0].memory << ", " << middle.memory << ", " << last.memory
            << " MB; " << last.threads << " threads, " << last.files << " files, " << last.mappings
            << " mappings\n";
  EXPECT_EQ(counts.wrong, 0);
  // The controls: it has done what it is for.
  EXPECT_GT(counts.calls, 100);
  EXPECT_GT(counts.cancelled, 0);
  EXPECT_GT(counts.busy, 0);
  EXPECT_LE(models.embedders[1].engine().info().peak_memory, Models::kCap);
  if (!HEADWAY_COUNT_RESOURCES) return;

  EXPECT_LE(memory(rounds, kRounds - 3, kRounds),
            1.02 * memory(rounds, kRounds / 2, kRounds / 2 + 3));
  // Callers, canceller, this one, and the pool's beside a caller on all cores or in an engine of 3
  // threads; it may start the last of them late.
  const long pool = std::max(default_threads(), 3) - 1;
  EXPECT_LE(last.threads, static_cast<long>(kThreads) + 2 + pool);
  const long started = std::max(last.threads - middle.threads, 0L);
  EXPECT_EQ(last.files, middle.files);
  // The heap has some, which come and go; a thread has a stack and a heap.
  EXPECT_LE(last.mappings, middle.mappings + 4 * (1 + started));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(cpu_seconds() - before, 0.01);
}

}  // namespace
}  // namespace headway
