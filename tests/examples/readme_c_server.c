// An HTTP service in C: POST /embed {"texts": ["...", ...]} is answered by {"embeddings": [[...]]}.
#include <jansson.h>
#include <signal.h>
#include <ulfius.h>
#include <unistd.h>

#include "headway/headway.h"

enum { kMaxBody = 1 << 20, kMaxTexts = 1000 };

static int answer(struct _u_response* response, unsigned status, const char* text) {
  ulfius_set_string_body_response(response, status, text);
  return U_CALLBACK_COMPLETE;
}

static int health(const struct _u_request* in, struct _u_response* response, void* text) {
  return (void)in, answer(response, 200, text);
}

static int embed(const struct _u_request* in, struct _u_response* response, void* embedder) {
  json_error_t wrong;
  json_auto_t* body = json_loadb(in->binary_body, in->binary_body_length, JSON_ALLOW_NUL, &wrong);
  if (!body) return answer(response, 400, wrong.text);
  const json_t* texts = json_object_get(body, "texts");
  headway_text views[kMaxTexts];
  headway_embed_request request = {.size = sizeof(request), .texts = views};
  request.count = json_array_size(texts);
  if (!json_is_array(texts) || request.count > kMaxTexts)
    return answer(response, 400, "texts: expected an array of at most 1000 strings");
  for (size_t i = 0; i < request.count; ++i) {
    const json_t* text = json_array_get(texts, i);
    if (!json_is_string(text)) return answer(response, 400, "texts: expected strings");
    views[i] = (headway_text){json_string_value(text), json_string_length(text)};
  }
  headway_error error = {.size = sizeof(error)};
  headway_model_info model = {.size = sizeof(model)};
  headway_embedder_get_info(embedder, &model, &error);
  const size_t dim = (size_t)model.dim;
  request.capacity = request.count * dim;
  request.vectors = malloc(request.capacity * sizeof(float) + 1);
  if (headway_embed(embedder, &request, &error) != HEADWAY_OK)
    return free(request.vectors), answer(response, 500, error.message);
  json_t* rows = json_array();
  json_auto_t* reply = json_pack("{s:o}", "embeddings", rows);
  for (size_t i = 0; i < request.capacity; ++i) {
    if (i % dim == 0) json_array_append_new(rows, json_array());
    json_array_append_new(json_array_get(rows, i / dim), json_real(request.vectors[i]));
  }
  free(request.vectors);
  char* text = json_dumps(reply, JSON_COMPACT | JSON_REAL_PRECISION(9));  // gives back all bits
  u_map_put(response->map_header, "Content-Type", "application/json");
  answer(response, 200, text);
  return free(text), U_CALLBACK_COMPLETE;
}

int main(int argc, char** argv) {
  sigset_t stop;  // waited for by this thread, and held back from all others
  sigemptyset(&stop), sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, NULL);
  headway_error error = {.size = sizeof(error), .message = "usage: MODEL_DIRECTORY PORT"};
  headway_embedder* embedder = NULL;
  if (argc == 3) headway_embedder_open(argv[1], NULL, &embedder, &error);
  if (!embedder) return fprintf(stderr, "%s\n", error.message), 1;
  struct _u_instance server;
  ulfius_init_instance(&server, (unsigned)atoi(argv[2]), NULL, NULL);
  server.max_post_body_size = kMaxBody;  // cut there, which leaves no JSON
  server.timeout = 5;                    // seconds that a connection may be idle
  ulfius_add_endpoint_by_val(&server, "GET", "/health", NULL, 0, health, "ok");
  ulfius_add_endpoint_by_val(&server, "POST", "/embed", NULL, 0, embed, embedder);
  if (ulfius_start_framework(&server) != U_OK) return fprintf(stderr, "cannot listen\n"), 1;
  for (int signal = 0; signal != SIGTERM;) sigwait(&stop, &signal);
  struct MHD_Daemon* daemon = server.mhd_daemon;
  close(MHD_quiesce_daemon(daemon));  // takes no more; what has come is answered
  while (MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections > 0)
    usleep(10000);
  ulfius_stop_framework(&server);
  ulfius_clean_instance(&server);
  headway_embedder_close(embedder);
}
