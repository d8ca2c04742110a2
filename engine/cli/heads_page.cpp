// The numbers as JSON, put into the page that heads.html is.
#include "engine/cli/heads_page.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/message.hpp"
#include "engine/cli/progress.hpp"
#include "engine/formats/json_writer.hpp"

namespace headway::cli {

// heads.html, from a file that CMake makes.
extern const std::string_view kHeadsHtml;

namespace {

constexpr std::string_view kPlace = "{{data}}";  // of the JSON in heads.html
constexpr size_t kLinks = 10;                    // listed for a head

// A JSON string for a script element, which "</script>" would end and "<!--" change.
std::string script_string(std::string_view text) {
  std::string out;
  for (const char c : json_escape(text)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// "[a,b]" of what `append` appends for each element.
template <typename List, typename Append>
std::string json_array(const List& list, const Append& append) {
  std::string out = "[";
  for (const auto& element : list) {
    if (out.size() > 1) out += ',';
    append(out, element);
  }
  return out + "]";
}

double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

std::string links_json(const std::vector<AttentionLink>& links) {
  return json_array(links, [](std::string& out, const AttentionLink& link) {
    out += cat('[', link.from, ',', link.to, ',');
    append_json_number(out, rounded(link.weight));
    out += ']';
  });
}

std::string maps_json(const AttentionMaps& maps) {
  std::string out;
  for (int64_t layer = maps.first_layer; layer < maps.first_layer + maps.layers; ++layer)
    for (int64_t head = 0; head < maps.heads; ++head) {
      out += out.empty() ? '[' : ',';
      out += JsonObjectWriter()
                 .add("layer", layer)
                 .add("head", head)
                 .add("entropy", rounded(attention_entropy(maps, layer, head)))
                 .add_raw("links", links_json(strongest_links(maps, layer, head, kLinks)))
                 .add_raw("words", links_json(strongest_links(maps, layer, head, kLinks, true)))
                 .str();
    }
  return out + "]";
}

// Ten-thousandths: whole numbers, as short as they come.
std::string weights_json(const AttentionMaps& maps) {
  return json_array(maps.weights, [](std::string& out, float weight) {
    out += std::to_string(std::lround(std::clamp(double{weight}, 0.0, 1.0) * 1e4));
  });
}

}  // namespace

std::string heads_page(const AttentionMaps& maps, std::string_view text) {
  const auto weights = static_cast<int64_t>(maps.weights.size());
  if (weights > kMostPageWeights)
    fail(ErrorCode::limit, "a page shows ", grouped(kMostPageWeights),
         " weights at most, and these are ", grouped(weights), " (", maps.layers, " layers x ",
         maps.heads, " heads x ", maps.tokens.size(), " x ", maps.tokens.size(),
         " tokens): ask for one layer, for fewer tokens, or for npy");
  const std::string data =
      JsonObjectWriter()
          .add_raw("text", script_string(text))
          .add("truncated", maps.truncated)
          .add_raw("tokens", json_array(maps.tokens,
                                        [](std::string& out, const std::string& token) {
                                          out += script_string(token);
                                        }))
          .add_raw("maps", maps_json(maps))
          .add_raw("weights", weights_json(maps))
          .str();
  std::string page(kHeadsHtml);
  return page.replace(page.find(kPlace), kPlace.size(), data);
}

}  // namespace headway::cli
