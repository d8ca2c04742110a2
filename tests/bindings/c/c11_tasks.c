// The functions of rerankers, classifiers and sparse embedders as a program in strict C11 calls
// them.
#include <string.h>

#include "headway/headway.h"
#include "tests/bindings/c/c11.h"

static const headway_text kTexts[2] = {{"a cat", 5}, {"hello", 5}};

// The functions that all kinds have, as a block that returns `step` or more where one fails.
#define USE_MODEL(kind, path, step)                                                            \
  headway_##kind *opened = NULL, *model = NULL;                                                \
  if (headway_##kind##_open(path, NULL, &opened, error) != HEADWAY_OK) return step;            \
  if (headway_##kind##_copy(opened, &model, error) != HEADWAY_OK) return step + 1;             \
  headway_##kind##_close(opened);                                                              \
  headway_tokenizer* tokenizer = NULL;                                                         \
  if (headway_##kind##_get_tokenizer(model, &tokenizer, error) != HEADWAY_OK) return step + 2; \
  headway_tokenizer_close(tokenizer);                                                          \
  headway_memory memory = {.size = sizeof(memory)};                                            \
  if (headway_##kind##_get_memory(model, &memory, error) != HEADWAY_OK) return step + 3;       \
  if (headway_##kind##_trim(model, error) != HEADWAY_OK) return step + 4;                      \
  headway_model_info info = {.size = sizeof(info)};                                            \
  if (headway_##kind##_get_info(model, &info, error) != HEADWAY_OK) return step + 5

static int use_reranker(const char* directory, headway_error* error) {
  USE_MODEL(reranker, directory, 101);
  if (info.label_count != 1 || strcmp(info.activation, "sigmoid") != 0) return 107;
  float scores[2] = {-1, -1};
  size_t ranking[2] = {9, 9};
  headway_rerank_request request = {.size = sizeof(request), .query = {"what is a cat?", 14}};
  request.documents = kTexts;
  request.count = request.capacity = 2;
  request.scores = scores;
  request.ranking = ranking;
  if (headway_rerank(model, &request, error) != HEADWAY_OK) return 108;
  if (ranking[0] + ranking[1] != 1 || scores[ranking[0]] < scores[ranking[1]]) return 109;
  headway_reranker_close(model);
  return 0;
}

static int use_classifier(const char* directory, headway_error* error) {
  USE_MODEL(classifier, directory, 111);
  if (info.label_count != 3 || strcmp(info.labels[1], "good") != 0) return 117;
  float scores[6] = {0};
  headway_classify_request request = {.size = sizeof(request), .texts = kTexts, .count = 2};
  request.scores = scores;
  request.capacity = 6;
  if (headway_classify(model, &request, error) != HEADWAY_OK) return 118;
  const float sum = scores[0] + scores[1] + scores[2];
  if (sum < 0.999f || sum > 1.001f) return 119;
  headway_classifier_close(model);
  return 0;
}

static int use_sparse_embedder(const char* directory, headway_error* error) {
  USE_MODEL(sparse_embedder, directory, 121);
  size_t offsets[3];
  headway_sparse_embed_request request = {.size = sizeof(request), .texts = kTexts, .count = 2};
  request.offsets = offsets;
  if (headway_sparse_embed(model, &request, error) != HEADWAY_BUFFER_TOO_SMALL) return 127;
  if (request.total == 0 || request.total > 2 * (size_t)info.dim) return 128;
  headway_sparse_embedder_close(model);
  return 0;
}

int use_tasks_from_c(const char* reranker, const char* classifier, const char* sparse_embedder) {
  headway_error error = {.size = sizeof(error)};
  const int reranked = use_reranker(reranker, &error);
  if (reranked != 0) return reranked;
  const int classified = use_classifier(classifier, &error);
  return classified != 0 ? classified : use_sparse_embedder(sparse_embedder, &error);
}
