// Regular expressions as the Split and Replace steps of tokenizer.json use them.
//
// The reference runs them through Oniguruma 6.9.10, whose tables are Unicode 16. No library that
// distributions carry has just these tables (PCRE2 10.42 and Debian's Oniguruma have 14), and the
// reference's own engine is what costs its byte-level tokenizers most of their time. So this is an
// engine for the syntax that published tokenizers are written in, with the reference's tables; what
// it does not know it refuses by name. Syntax and order of trials are those of Oniguruma.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/unicode.hpp"

namespace headway {

// A set of characters.
class CharClass {
 public:
  void add_range(char32_t first, char32_t last);
  // `mask`: bits 1 << CharCategory.
  void add_categories(uint32_t mask) { categories_ |= mask; }
  void negate() { negated_ = !negated_; }
  // Whether add_range(c, c) was called.
  bool has_range(char32_t c) const;
  // To be called once it is complete.
  void finish();

  bool contains(char32_t c) const {
    return c < 128 ? (ascii_[c / 64] >> c % 64 & 1) != 0 : contains_beyond(c) != negated_;
  }

 private:
  bool contains_beyond(char32_t c) const;

  std::array<uint64_t, 2> ascii_{};  // the answers below 128
  uint32_t categories_ = 0;
  bool negated_ = false;
  std::vector<std::pair<char32_t, char32_t>> ranges_;
};

// Immutable; any thread may use it.
//
// A search takes time linear in the text for patterns whose repetitions cannot take the same
// characters in two ways, which holds for the published ones. Others are stopped: see Search.
class Pattern {
 public:
  // Error(unsupported) that starts with `where` for syntax that is not known, and for patterns that
  // match the empty text.
  static Pattern regex(std::string_view source, const std::string& where);
  // Exactly these characters, not empty, kMaxBytes at most.
  static Pattern literal(std::string_view text);
  // Of a pattern's source. Published ones have 30 to 400.
  static constexpr size_t kMaxBytes = 4096;

  struct Match {
    size_t begin;
    size_t end;
  };

  // The matches in a text of valid UTF-8, one after the other. Both must outlive it.
  class Search {
   public:
    Search(const Pattern& pattern, std::string_view text)
        : pattern_(pattern), text_(text), steps_left_(kStepsPerByte * (text.size() + kFreeBytes)) {}

    // The first match that starts at the end of the last or behind it. Error(limit) when all
    // matches so far took kStepsPerByte steps for each byte of the text: a step is a character or a
    // part of the pattern that is looked at, and published patterns take at most 25.
    std::optional<Match> next();

   private:
    friend class Pattern;
    static constexpr uint64_t kStepsPerByte = 1000, kFreeBytes = 64;

    void take(uint64_t steps);

    const Pattern& pattern_;
    std::string_view text_;
    size_t at_ = 0;
    uint64_t steps_left_;
  };

 private:
  friend class PatternParser;

  static constexpr uint32_t kAccept = UINT32_MAX;  // the node behind the last
  static constexpr uint32_t kUnlimited = UINT32_MAX;
  static constexpr size_t kNoMatch = SIZE_MAX;

  enum class Kind : uint8_t { chars, branch, look_ahead };
  struct Node {
    Kind kind = Kind::chars;
    bool negative = false;    // look_ahead: what must not follow
    bool possessive = false;  // chars: gives nothing back
    uint32_t char_class = 0;  // chars
    uint32_t min = 1;         // chars
    uint32_t max = 1;
    std::vector<uint32_t> alternatives;  // branch, look_ahead: in order of trial
    uint32_t next = kAccept;             // chars, look_ahead
  };

  // Whether a run of characters can be as long as one likes or be shortened: what follows is then
  // tried by recursion.
  static bool is_choice(const Node& node) {
    return node.kind != Kind::chars || (node.min != node.max && !node.possessive);
  }
  // What a node says, asked of all from the first on: `ask(node, answer)` gets a function for the
  // answers of those that it leads to, which stand before it.
  template <typename T, typename Ask>
  std::vector<T> for_each_node(T of_accept, Ask&& ask) const;
  // How deep a match may recurse.
  size_t depth() const;
  bool may_be_empty() const;
  void prepare();
  size_t match(uint32_t node, Search& search, size_t at) const;
  size_t match_any(const std::vector<uint32_t>& nodes, Search& search, size_t at) const;
  struct Run {
    uint32_t count;  // characters
    size_t end;
  };
  // As many characters as the node takes.
  Run take_run(const Node& node, Search& search, size_t at) const;
  size_t match_choice(const Node& node, Search& search, size_t at) const;

  std::string name_;     // for messages
  std::string literal_;  // all there is of a literal
  std::vector<CharClass> classes_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> starts_;  // the alternatives of the whole pattern
  // For each byte of ASCII the alternatives that may start with it; the last is for all others.
  std::array<std::vector<uint32_t>, 129> starts_by_byte_;
};

}  // namespace headway
