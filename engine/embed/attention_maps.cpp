// What is read from attention weights.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/message.hpp"
#include "headway/heads.hpp"

namespace headway {

std::span<const float> AttentionMaps::map(int64_t layer, int64_t head) const {
  if (layer < first_layer || layer >= first_layer + layers)
    fail(ErrorCode::invalid_argument, "layer: expected ", first_layer, " to ",
         first_layer + layers - 1, ", found ", layer);
  if (head < 0 || head >= heads)
    fail(ErrorCode::invalid_argument, "head: expected 0 to ", heads - 1, ", found ", head);
  const size_t size = tokens.size() * tokens.size();
  const int64_t place = (layer - first_layer) * heads + head;
  return std::span(weights).subspan(static_cast<size_t>(place) * size, size);
}

double attention_entropy(const AttentionMaps& maps, int64_t layer, int64_t head) {
  double sum = 0;
  for (const float weight : maps.map(layer, head))
    if (weight != 0) sum -= double{weight} * std::log2(double{weight});
  return maps.tokens.empty() ? 0 : sum / static_cast<double>(maps.tokens.size());
}

std::vector<AttentionLink> strongest_links(const AttentionMaps& maps, int64_t layer, int64_t head,
                                           size_t count, bool words_only) {
  const std::span<const float> map = maps.map(layer, head);
  const size_t tokens = maps.tokens.size();
  std::vector<AttentionLink> links;
  for (size_t i = 0; i < map.size(); ++i) {
    const size_t from = i / tokens, to = i % tokens;
    if (words_only && (maps.special[from] || maps.special[to])) continue;
    if (map[i] > 0)  // not NaN, which has no place in an order
      links.push_back({static_cast<int64_t>(from), static_cast<int64_t>(to), map[i]});
  }
  const auto stronger = [](const AttentionLink& a, const AttentionLink& b) {
    return a.weight != b.weight ? a.weight > b.weight
                                : std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  const size_t kept = std::min(count, links.size());
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(kept), links.end(),
                    stronger);
  links.resize(kept);
  return links;
}

}  // namespace headway
