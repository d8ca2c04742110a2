// headway.h as a program in strict C11 sees it: every function called, with its types as C has
// them.
#include "tests/bindings/c/c11.h"

#include <string.h>

#include "headway/headway.h"

_Static_assert(offsetof(headway_options, size) == 0, "the size comes first");
_Static_assert(offsetof(headway_embed_request, size) == 0, "the size comes first");
_Static_assert(HEADWAY_VERSION_NUMBER >= HEADWAY_MAKE_VERSION(0, 1, 0), "for the preprocessor");

static int run_layer(headway_error* error) {
  const float qkv[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, out[4] = {2, 0, 0, 2};
  headway_multi_head_weights weights = {.size = sizeof(weights)};
  weights.dim = 2;
  weights.qkv_weight = qkv;
  weights.out_weight = out;
  headway_multi_head_options attention = {.size = sizeof(attention), .heads = 1, .causal = 1};
  headway_options options = {.size = sizeof(options), .threads = 1, .precision = HEADWAY_F32};
  headway_multi_head *layer = NULL, *copy = NULL;
  if (headway_multi_head_create(&weights, &attention, &options, &layer, error) != HEADWAY_OK)
    return 1;
  if (headway_multi_head_copy(layer, &copy, error) != HEADWAY_OK) return 2;
  headway_multi_head_close(layer);

  // One token attends to itself alone.
  const int64_t lengths[1] = {1};
  const float x[2] = {3, 4};
  float y[2] = {0, 0}, seen[1] = {0};
  headway_multi_head_request request = {.size = sizeof(request)};
  request.lengths = lengths;
  request.sequences = 1;
  request.x = x;
  request.x_count = 2;
  request.y = y;
  request.capacity = 2;
  request.weights = seen;
  request.weights_capacity = 1;
  if (headway_multi_head_run(copy, &request, error) != HEADWAY_OK) return 3;
  if (y[0] != 6 || y[1] != 8 || seen[0] != 1) return 4;
  headway_memory memory = {.size = sizeof(memory)};
  if (headway_multi_head_get_memory(copy, &memory, error) != HEADWAY_OK) return 5;
  if (memory.packed_weights == 0 || memory.peak == 0) return 6;
  if (headway_multi_head_trim(copy, error) != HEADWAY_OK) return 7;
  headway_multi_head_close(copy);
  return 0;
}

static int run_attention(headway_error* error) {
  // One key: its value, whatever the query.
  const float q[2] = {1, 2}, k[2] = {3, 4}, v[1] = {5};
  float out[1] = {0};
  headway_attention_request request = {.size = sizeof(request)};
  request.q = (headway_array){.data = q, .extents = {1, 1, 1, 2}};
  request.k = (headway_array){.data = k, .extents = {1, 1, 1, 2}};
  request.v = (headway_array){.data = v, .extents = {1, 1, 1, 1}};
  request.out = (headway_output_array){.data = out, .extents = {1, 1, 1, 1}};
  if (headway_attention(&request, error) != HEADWAY_OK) return 41;
  return out[0] == 5 ? 0 : 42;
}

static int run_tokenizer(const headway_embedder* embedder, headway_error* error) {
  headway_tokenizer *tokenizer = NULL, *copy = NULL;
  if (headway_embedder_get_tokenizer(embedder, &tokenizer, error) != HEADWAY_OK) return 51;
  if (headway_tokenizer_copy(tokenizer, &copy, error) != HEADWAY_OK) return 52;
  headway_tokenizer_close(tokenizer);
  headway_tokenizer_info info = {.size = sizeof(info)};
  if (headway_tokenizer_get_info(copy, &info, error) != HEADWAY_OK) return 53;
  if (info.vocabulary != 30522 || info.special_tokens != 2) return 54;

  headway_tokenize_request tokens = {.size = sizeof(tokens), .text = {"a cat", 5}};
  if (headway_tokenize(copy, &tokens, error) != HEADWAY_BUFFER_TOO_SMALL) return 55;
  if (tokens.count != 4) return 56;
  const int32_t ids[4] = {101, 1037, 4937, 102};
  char decoded[5];
  headway_decode_request text_of = {.size = sizeof(text_of), .ids = ids, .count = 4};
  text_of.text = decoded;
  text_of.capacity = 5;
  if (headway_decode(copy, &text_of, error) != HEADWAY_OK) return 57;
  if (text_of.length != 5 || memcmp(decoded, "a cat", 5) != 0) return 58;
  headway_tokenizer_close(copy);
  return 0;
}

static int run_model(const char* directory, headway_error* error) {
  headway_embedder *embedder = NULL, *copy = NULL;
  if (headway_embedder_open(directory, NULL, &embedder, error) != HEADWAY_OK) return 11;
  if (headway_embedder_copy(embedder, &copy, error) != HEADWAY_OK) return 12;
  headway_embedder_close(embedder);
  headway_model_info info = {.size = sizeof(info)};
  if (headway_embedder_get_info(copy, &info, error) != HEADWAY_OK) return 13;
  if (info.dim != 384 || strcmp(info.pooling, "mean") != 0 || info.normalize != 1) return 14;

  const int tokenizer = run_tokenizer(copy, error);
  if (tokenizer != 0) return tokenizer;
  headway_stop* stop = NULL;
  if (headway_stop_create(&stop, error) != HEADWAY_OK) return 17;
  float vectors[384];
  const headway_text text = {"a cat", 5};
  headway_run_options run = {.size = sizeof(run), .threads = 1, .mode = HEADWAY_INSIDE};
  run.stop = stop;
  headway_embed_request request = {.size = sizeof(request)};
  request.texts = &text;
  request.count = 1;
  request.vectors = vectors;
  request.capacity = 384;
  request.run = &run;
  if (headway_embed(copy, &request, error) != HEADWAY_OK) return 18;
  if (request.tokens != 4 || request.truncated != 0) return 19;
  headway_stop_request(stop);
  if (headway_embed(copy, &request, error) != HEADWAY_CANCELLED) return 20;
  headway_stop_close(stop);
  headway_memory memory = {.size = sizeof(memory)};
  if (headway_embedder_get_memory(copy, &memory, error) != HEADWAY_OK) return 21;
  if (memory.in_use > memory.peak) return 22;
  if (headway_embedder_trim(copy, error) != HEADWAY_OK) return 23;
  headway_embedder_close(copy);
  return 0;
}

int use_headway_from_c(const char* model_directory) {
  headway_error error = {.size = sizeof(error)};
  headway_machine machine = {.size = sizeof(machine)};
  if (headway_get_machine(&machine, &error) != HEADWAY_OK || machine.cores < 1) return 31;
  if (strcmp(headway_version(), HEADWAY_VERSION) != 0) return 32;
  if (strcmp(headway_status_name(HEADWAY_OK), "ok") != 0) return 33;
  const int layer = run_layer(&error);
  if (layer != 0) return layer;
  const int attention = run_attention(&error);
  return attention != 0 ? attention : run_model(model_directory, &error);
}
