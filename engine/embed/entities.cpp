// Tokens to words to groups of one label.
#include "engine/embed/entities.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/text/unicode.hpp"

namespace headway {
namespace {

struct Token {
  std::string word;
  std::span<const float> scores;  // [labels]
  size_t begin, end;
  bool subword;  // goes on with the word of the token before
};

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (const char *p = text.data(), *const end = p + text.size(); p < end; ++count)
    decode_utf8(p, end);
  return count;
}

// By the prefix, which makes a token longer than what it stands for. Where tokens have none, by a
// space at the token's begin or right before it.
bool is_subword(const Tokenizer& tokenizer, std::string_view text, std::string_view token,
                const TokenOffsets& place) {
  if (tokenizer.marks_subwords())
    return count_characters(token) !=
           count_characters(text.substr(place.begin, place.end - place.begin));
  if (place.begin == 0) return false;
  return text.substr(place.begin - 1, 2).find(' ') == std::string_view::npos;
}

// Without the special ones around the text.
std::vector<Token> list_tokens(const Tokenizer& tokenizer, std::string_view text,
                               const Encoding& encoding, std::span<const float> scores,
                               size_t labels) {
  const std::optional<int32_t> unknown = tokenizer.special_token("unk_token");
  std::vector<Token> tokens;
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    const TokenOffsets& place = encoding.offsets[i];
    if (place.text < 0) continue;
    Token token{{}, scores.subspan(i * labels, labels), place.begin, place.end, false};
    if (encoding.ids[i] == unknown) {
      append_valid_utf8(token.word, text.substr(place.begin, place.end - place.begin));
    } else {
      token.word = tokenizer.id_to_token(encoding.ids[i]).value_or("");
      token.subword = is_subword(tokenizer, text, token.word, place);
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::span<const float>::iterator best_of(std::span<const float> scores) {
  return std::max_element(scores.begin(), scores.end());
}

// The scores by which a word of these tokens is labelled.
std::vector<float> word_scores(std::span<const Token> tokens, Aggregation aggregation) {
  if (aggregation == Aggregation::average) {
    std::vector<float> means;
    for (size_t label = 0; label < tokens[0].scores.size(); ++label) {
      double sum = 0;
      for (const Token& token : tokens) sum += token.scores[label];
      means.push_back(static_cast<float>(sum / static_cast<double>(tokens.size())));
    }
    return means;
  }
  const Token* chosen = &tokens[0];
  if (aggregation == Aggregation::max)
    for (const Token& token : tokens)
      if (*best_of(token.scores) > *best_of(chosen->scores)) chosen = &token;
  return {chosen->scores.begin(), chosen->scores.end()};
}

Entity label_word(const Tokenizer& tokenizer, std::span<const Token> tokens,
                  std::span<const std::string> labels, Aggregation aggregation) {
  const std::vector<float> scores = word_scores(tokens, aggregation);
  const auto best = best_of(scores);
  std::vector<std::string> words;
  for (const Token& token : tokens) words.push_back(token.word);
  return {labels[static_cast<size_t>(best - std::span(scores).begin())], *best,
          tokenizer.join(std::move(words)), tokens.front().begin, tokens.back().end};
}

Entity label_token(const Token& token, std::span<const std::string> labels) {
  const auto best = best_of(token.scores);
  return {labels[static_cast<size_t>(best - token.scores.begin())], *best, token.word, token.begin,
          token.end};
}

bool starts_entity(std::string_view label) {
  return label.starts_with("B-");
}

std::string_view without_prefix(std::string_view label) {
  return starts_entity(label) || label.starts_with("I-") ? label.substr(2) : label;
}

Entity merge(const Tokenizer& tokenizer, std::span<const Entity> parts) {
  double sum = 0;
  std::vector<std::string> words;
  for (const Entity& part : parts) {
    sum += part.score;
    words.push_back(part.word);
  }
  const std::string& label = parts[0].label;
  return {label.substr(label.find('-') + 1),  // all of it where there is none
          static_cast<float>(sum / static_cast<double>(parts.size())),
          tokenizer.join(std::move(words)), parts.front().begin, parts.back().end};
}

// Calls body(first, last) for each run of `items` that go on with the one before.
template <typename Item, typename GoesOn, typename Body>
void for_each_run(std::span<const Item> items, const GoesOn& goes_on, const Body& body) {
  for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    for (end = begin + 1; end < items.size() && goes_on(items[end - 1], items[end]);) ++end;
    body(items.subspan(begin, end - begin));
  }
}

}  // namespace

std::vector<Entity> find_entities(const Tokenizer& tokenizer, std::string_view text,
                                  const Encoding& encoding, std::span<const float> scores,
                                  std::span<const std::string> labels,
                                  const EntityOptions& options) {
  const std::vector<Token> tokens = list_tokens(tokenizer, text, encoding, scores, labels.size());
  const Aggregation aggregation = options.aggregation;
  std::vector<Entity> entities;
  if (aggregation == Aggregation::none || aggregation == Aggregation::simple) {
    for (const Token& token : tokens) entities.push_back(label_token(token, labels));
  } else {
    for_each_run<Token>(
        tokens, [](const Token&, const Token& next) { return next.subword; },
        [&](std::span<const Token> word) {
          entities.push_back(label_word(tokenizer, word, labels, aggregation));
        });
  }
  if (aggregation != Aggregation::none) {
    const std::vector<Entity> parts = std::exchange(entities, {});
    for_each_run<Entity>(
        parts,
        [](const Entity& part, const Entity& next) {
          return !starts_entity(next.label) &&
                 without_prefix(next.label) == without_prefix(part.label);
        },
        [&](std::span<const Entity> group) { entities.push_back(merge(tokenizer, group)); });
  }
  std::erase_if(entities, [&](const Entity& entity) {
    const auto& ignored = options.ignored_labels;
    return std::find(ignored.begin(), ignored.end(), entity.label) != ignored.end();
  });
  return entities;
}

}  // namespace headway
