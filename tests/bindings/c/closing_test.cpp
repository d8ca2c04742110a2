// Handles may be closed at any time: calls under way end as if nothing had happened, later ones are
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

TEST(CHandles, AreRefusedOnceClosed) {
  SmallLayer small;
  SmallRun run;
  const headway_multi_head_request request = run.request();
  headway_multi_head* layer = small.handle.release();
  headway_multi_head_close(layer);
  auto error = sized<headway_error>();
  EXPECT_EQ(headway_multi_head_run(layer, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message,
              testing::HasSubstr("layer: expected an open handle, found one that has been closed"));
  headway_multi_head_close(layer);  // does nothing
  // Nor does another handle take its place.
  const SmallLayer later;
  EXPECT_NE(later.handle.get(), layer);
  EXPECT_EQ(headway_multi_head_run(layer, &request, nullptr), HEADWAY_INVALID_ARGUMENT);
}

TEST(CHandles, OfAnotherTypeAreRefused) {
  const SmallLayer layer;
  auto memory = sized<headway_memory>();
  auto error = sized<headway_error>();
  EXPECT_EQ(headway_embedder_get_memory(
                reinterpret_cast<const headway_embedder*>(layer.handle.get()), &memory, &error),
            HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("embedder: expected an open handle"));
  const int local = 0;  // an address, which no handle is
  EXPECT_EQ(headway_embedder_get_memory(reinterpret_cast<const headway_embedder*>(&local), &memory,
                                        nullptr),
            HEADWAY_INVALID_ARGUMENT);
}

TEST(CHandles, OfStopsToo) {
  SmallLayer layer;
  SmallRun run;
  headway_multi_head_request request = run.request();
  auto options = sized<headway_run_options>();
  ASSERT_EQ(headway_stop_create(&options.stop, nullptr), HEADWAY_OK);
  request.run = &options;
  EXPECT_EQ(headway_multi_head_run(layer.handle.get(), &request, nullptr), HEADWAY_OK);
  headway_stop_request(options.stop);
  EXPECT_EQ(headway_multi_head_run(layer.handle.get(), &request, nullptr), HEADWAY_CANCELLED);
  headway_stop_close(options.stop);
  headway_stop_request(options.stop);
  headway_stop_close(options.stop);
  auto error = sized<headway_error>();
  EXPECT_EQ(headway_multi_head_run(layer.handle.get(), &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("run.stop: expected an open handle"));
}

TEST(CHandles, MayBeClosedWhileOthersCall) {
  SmallLayer kept;
  SmallRun first;
  const headway_multi_head_request first_request = first.request();
  ASSERT_EQ(headway_multi_head_run(kept.handle.get(), &first_request, nullptr), HEADWAY_OK);
  for (int round = 0; round < 30; ++round) {
    headway_multi_head* layer = nullptr;
    ASSERT_EQ(headway_multi_head_copy(kept.handle.get(), &layer, nullptr), HEADWAY_OK);
    std::atomic<int> ended_well{0}, refused{0}, wrong{0};
    {
      std::vector<std::jthread> callers;
      for (int i = 0; i < 16; ++i) {
        callers.emplace_back([&] {
          SmallRun run;
          const headway_multi_head_request request = run.request();
          for (;;) {
            const headway_status status = headway_multi_head_run(layer, &request, nullptr);
            if (status != HEADWAY_OK) {
              (status == HEADWAY_INVALID_ARGUMENT ? refused : wrong) += 1;
              return;
            }
            ++ended_well;
            wrong += run.y != first.y;
          }
        });
      }
      while (ended_well < 20) std::this_thread::yield();
      headway_multi_head_trim(layer, nullptr);
      headway_multi_head_close(layer);
    }
    EXPECT_EQ(refused, 16);
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_EQ(headway_multi_head_run(kept.handle.get(), &first_request, nullptr), HEADWAY_OK);
}

// The last handle of a model goes while calls are under way. `call(handle)` returns a status, and
// whether what it got is right.
template <typename Handle, typename Call>
void expect_to_close_well(Owned<Handle> owner, Call call) {
  const Handle* handle = owner.get();
  std::atomic<int> wrong{0}, ended_well{0};
  std::vector<std::jthread> callers;
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      for (;;) {
        const auto [status, right] = call(handle);
        if (status != HEADWAY_OK) {
          wrong += status != HEADWAY_INVALID_ARGUMENT;
          return;
        }
        ++ended_well;
        wrong += !right;
      }
    });
  }
  while (ended_well < 16) std::this_thread::yield();
  owner.reset();
  callers.clear();
  EXPECT_EQ(wrong, 0);
}

const std::vector<headway_text> kTexts(4, {"the cat sat on hello", 20});

// Whether the results of all texts are those of the first.
bool all_alike(const std::vector<float>& results) {
  const size_t size = results.size() / kTexts.size();
  for (size_t i = size; i < results.size(); ++i)
    if (results[i] != results[i - size]) return false;
  return true;
}

using Outcome = std::pair<headway_status, bool>;

TEST(CHandles, OfAnEmbedderMayBeClosedWhileItEmbeds) {
  expect_to_close_well(open_golden<headway_embedder>(kModel), [](const headway_embedder* handle) {
    std::vector<float> vectors(kTexts.size() * 384);
    auto request = sized<headway_embed_request>();
    request.texts = kTexts.data();
    request.count = kTexts.size();
    request.vectors = vectors.data();
    request.capacity = vectors.size();
    const headway_status status = headway_embed(handle, &request, nullptr);
    return Outcome(status, all_alike(vectors));
  });
}

TEST(CHandles, OfARerankerMayBeClosedWhileItScores) {
  expect_to_close_well(open_golden<headway_reranker>(), [](const headway_reranker* handle) {
    std::vector<float> scores(kTexts.size());
    std::vector<size_t> ranking(kTexts.size());
    auto request = sized<headway_rerank_request>();
    request.query = {"cat", 3};
    request.documents = kTexts.data();
    request.count = kTexts.size();
    request.scores = scores.data();
    request.ranking = ranking.data();
    request.capacity = scores.size();
    const headway_status status = headway_rerank(handle, &request, nullptr);
    return Outcome(status, all_alike(scores) && ranking == std::vector<size_t>{0, 1, 2, 3});
  });
}

TEST(CHandles, OfAClassifierMayBeClosedWhileItClassifies) {
  expect_to_close_well(open_golden<headway_classifier>(), [](const headway_classifier* handle) {
    std::vector<float> scores(kTexts.size() * 3);
    auto request = sized<headway_classify_request>();
    request.texts = kTexts.data();
    request.count = kTexts.size();
    request.scores = scores.data();
    request.capacity = scores.size();
    const headway_status status = headway_classify(handle, &request, nullptr);
    return Outcome(status, all_alike(scores));
  });
}

TEST(CHandles, OfASparseEmbedderMayBeClosedWhileItEmbeds) {
  expect_to_close_well(
      open_golden<headway_sparse_embedder>(), [](const headway_sparse_embedder* handle) {
        std::vector<size_t> offsets(kTexts.size() + 1);
        std::vector<int32_t> ids(kTexts.size() * 129);
        std::vector<float> weights(ids.size());
        auto request = sized<headway_sparse_embed_request>();
        request.texts = kTexts.data();
        request.count = kTexts.size();
        request.offsets = offsets.data();
        request.ids = ids.data();
        request.weights = weights.data();
        request.capacity = ids.size();
        const headway_status status = headway_sparse_embed(handle, &request, nullptr);
        weights.resize(request.total);
        return Outcome(status, all_alike(weights) && offsets[4] == 4 * offsets[1]);
      });
}

TEST(CHandles, OfAMultiVectorEmbedderMayBeClosedWhileItEmbeds) {
  expect_to_close_well(open_golden<headway_multi_vector_embedder>(),
                       [](const headway_multi_vector_embedder* handle) {
                         std::vector<size_t> offsets(kTexts.size() + 1);
                         std::vector<float> vectors(1000);
                         auto request = sized<headway_multi_vector_embed_request>();
                         request.texts = kTexts.data();
                         request.count = kTexts.size();
                         request.offsets = offsets.data();
                         request.vectors = vectors.data();
                         request.capacity = vectors.size();
                         const headway_status status =
                             headway_multi_vector_embed(handle, &request, nullptr);
                         vectors.resize(request.total);
                         return Outcome(status, all_alike(vectors) && offsets[4] == 4 * offsets[1]);
                       });
}

TEST(CHandles, OfATokenClassifierMayBeClosedWhileItTags) {
  expect_to_close_well(open_golden<headway_token_classifier>(),
                       [](const headway_token_classifier* handle) {
                         std::vector<size_t> offsets(kTexts.size() + 1);
                         std::vector<headway_entity> entities(kTexts.size() * 20);
                         auto request = sized<headway_tag_request>();
                         request.texts = kTexts.data();
                         request.count = kTexts.size();
                         request.ignored_labels = kTexts.data();
                         request.offsets = offsets.data();
                         request.entities = entities.data();
                         request.capacity = entities.size();
                         const headway_status status = headway_tag(handle, &request, nullptr);
                         std::vector<float> scores;
                         for (size_t i = 0; i < request.total; ++i)
                           scores.push_back(entities[i].score);
                         return Outcome(status, all_alike(scores) && offsets[4] == 4 * offsets[1]);
                       });
}

TEST(CHandles, OfAMaskedLMMayBeClosedWhileItFills) {
  expect_to_close_well(open_golden<headway_masked_lm>(), [](const headway_masked_lm* handle) {
    const std::vector<headway_text> texts(4, {"the [MASK] sat", 14});
    std::vector<size_t> offsets(texts.size() + 1);
    std::vector<int32_t> ids(texts.size() * 5);
    std::vector<float> scores(ids.size());
    auto request = sized<headway_fill_mask_request>();
    request.texts = texts.data();
    request.count = texts.size();
    request.offsets = offsets.data();
    request.ids = ids.data();
    request.scores = scores.data();
    request.capacity = ids.size();
    const headway_status status = headway_fill_mask(handle, &request, nullptr);
    return Outcome(status, all_alike(scores));
  });
}

}  // namespace
}  // namespace headway::c
