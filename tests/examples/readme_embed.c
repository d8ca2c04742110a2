// Texts to vectors, in C.
#include <stdio.h>
#include <stdlib.h>

#include "headway/headway.h"

int main(void) {
  headway_error error = {.size = sizeof(error)};
  headway_embedder* embedder = NULL;
  if (headway_embedder_open("models/all-MiniLM-L6-v2", NULL, &embedder, &error) != HEADWAY_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  headway_model_info info = {.size = sizeof(info)};
  headway_embedder_get_info(embedder, &info, &error);

  const headway_text texts[2] = {{"A cat sleeps on the sofa.", 25}, {"Reset my password", 17}};
  headway_embed_request request = {.size = sizeof(request), .texts = texts, .count = 2};
  request.capacity = 2 * (size_t)info.dim;
  request.vectors = malloc(request.capacity * sizeof(float));
  const headway_status status = headway_embed(embedder, &request, &error);
  if (status == HEADWAY_OK)
    printf("%lld tokens; the first vector starts with %g\n", (long long)request.tokens,
           request.vectors[0]);
  else
    fprintf(stderr, "%s\n", error.message);
  free(request.vectors);
  headway_embedder_close(embedder);
  return status == HEADWAY_OK ? 0 : 1;
}
