// An HTTP service: POST /embed {"texts": ["...", ...]} is answered by {"embeddings": [[...], ...]}.
#include <httplib.h>
#include <simdjson.h>

#include <charconv>
#include <csignal>
#include <iostream>
#include <thread>

#include "headway/headway.hpp"

constexpr size_t kMaxBody = 1 << 20, kMaxTexts = 1000;

headway::Embeddings embed(const headway::Embedder& embedder, const std::string& body) {
  simdjson::dom::parser parser;  // owns what the views show
  std::vector<std::string_view> texts;
  for (const simdjson::dom::element text : parser.parse(body)["texts"].get_array())
    texts.push_back(text.get_string());
  if (texts.size() > kMaxTexts) throw std::length_error("more than 1000 texts");
  return embedder.embed(texts);
}

std::string to_json(const headway::Embeddings& vectors) {
  std::string json = "{\"embeddings\":[";
  for (int64_t text = 0; text < vectors.texts; ++text) {
    json += text == 0 ? "[" : ",[";
    for (const float value : vectors.row(text)) {
      char digits[32];  // as few as give back the same bits
      json.append(digits, std::to_chars(digits, std::end(digits), value).ptr) += ',';
    }
    json.back() = ']';
  }
  return json += "]}";
}

void answer(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text, "text/plain");
}

int main(int argc, char** argv) try {
  if (argc != 3) throw std::invalid_argument("usage: readme_server MODEL_DIRECTORY PORT");
  sigset_t stop;  // one thread waits for these signals, and all others hold them back
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  const auto embedder = headway::Embedder::open(argv[1]);
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(64); };  // as many connections
  server.set_tcp_nodelay(true);
  server.Get("/health", [](auto&, auto& response) { answer(response, 200, "ok"); });
  server.Post("/embed", [&](auto&, httplib::Response& response, auto& read) {
    std::string body;
    read([&](const char* data, size_t size) {
      if (body.size() <= kMaxBody) body.append(data, size);  // what is beyond is read, not kept
      return true;
    });
    if (body.size() > kMaxBody) return answer(response, 413, "the body is larger than 1 MiB");
    try {
      response.set_content(to_json(embed(embedder, body)), "application/json");
    } catch (const simdjson::simdjson_error& error) {
      answer(response, 400, error.what());
    } catch (const std::length_error& error) {
      answer(response, 413, error.what());
    }
  });

  if (!server.bind_to_port("127.0.0.1", std::stoi(argv[2]))) throw std::runtime_error("no port");
  std::thread listener([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  int signal = 0;
  sigwait(&stop, &signal);
  server.stop();  // takes no more; what has come is answered
  listener.join();
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
