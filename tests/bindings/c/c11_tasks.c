// The functions of models for other tasks than embedding, as a program in strict C11 calls them.
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

static int use_multi_vector_embedder(const char* directory, headway_error* error) {
  USE_MODEL(multi_vector_embedder, directory, 151);
  size_t offsets[3];
  float vectors[1000], scores[2];
  headway_multi_vector_embed_request request = {.size = sizeof(request), .texts = kTexts};
  request.count = 2;
  request.queries = 1;
  request.offsets = offsets;
  request.vectors = vectors;
  request.capacity = 1000;
  if (headway_multi_vector_embed(model, &request, error) != HEADWAY_OK) return 157;
  headway_multi_vector_similarity_request pair = {.size = sizeof(pair)};
  pair.query = pair.document = vectors;
  pair.query_tokens = pair.document_tokens = offsets[1];
  if (headway_multi_vector_similarity(model, &pair, error) != HEADWAY_OK) return 158;
  // Each vector has length 1 and is like itself.
  const float tokens = (float)offsets[1];
  if (pair.similarity < 0.999f * tokens || pair.similarity > 1.001f * tokens) return 159;
  headway_rerank_request ranked = {.size = sizeof(ranked), .query = kTexts[0]};
  ranked.documents = kTexts;
  ranked.count = ranked.capacity = 2;
  ranked.scores = scores;
  if (headway_multi_vector_rerank(model, &ranked, error) != HEADWAY_OK) return 160;
  headway_multi_vector_embedder_close(model);
  return 0;
}

static int use_token_classifier(const char* directory, headway_error* error) {
  USE_MODEL(token_classifier, directory, 131);
  if (info.label_count != 5 || strcmp(info.labels[1], "B-PER") != 0) return 137;
  size_t offsets[3];
  headway_tag_request request = {.size = sizeof(request), .texts = kTexts, .count = 2};
  request.aggregation = HEADWAY_AGGREGATE_SIMPLE;
  request.ignored_labels = kTexts;  // none
  request.offsets = offsets;
  if (headway_tag(model, &request, error) != HEADWAY_BUFFER_TOO_SMALL) return 138;
  if (request.total == 0 || request.total > 8) return 139;
  headway_token_classifier_close(model);
  return 0;
}

static int use_masked_lm(const char* directory, headway_error* error) {
  USE_MODEL(masked_lm, directory, 141);
  headway_text mask = {NULL, 0};
  if (headway_masked_lm_get_mask_token(model, &mask, error) != HEADWAY_OK) return 147;
  size_t offsets[2];
  int32_t ids[3];
  float scores[3];
  headway_fill_mask_request request = {.size = sizeof(request), .texts = &mask, .count = 1};
  request.top_k = request.capacity = 3;
  request.offsets = offsets;
  request.ids = ids;
  request.scores = scores;
  if (headway_fill_mask(model, &request, error) != HEADWAY_OK) return 148;
  if (offsets[1] != 3 || !(scores[0] >= scores[1] && scores[1] >= scores[2])) return 149;
  headway_masked_lm_close(model);
  return 0;
}

int use_tasks_from_c(const char* golden_directory) {
  static const struct {
    const char* directory;
    int (*use)(const char* directory, headway_error* error);
  } tasks[] = {
      {"/tasks/reranker", use_reranker},      {"/tasks/classifier", use_classifier},
      {"/tasks/sparse", use_sparse_embedder}, {"/tokens/bert", use_token_classifier},
      {"/tokens/bert", use_masked_lm},        {"/multi_vector/bert", use_multi_vector_embedder}};
  headway_error error = {.size = sizeof(error)};
  for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); ++i) {
    char path[4096];
    if (strlen(golden_directory) + strlen(tasks[i].directory) >= sizeof(path)) return 100;
    strcat(strcpy(path, golden_directory), tasks[i].directory);
    const int step = tasks[i].use(path, &error);
    if (step != 0) return step;
  }
  return 0;
}
