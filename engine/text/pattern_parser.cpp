// From the text of a pattern to its nodes.
#include <iterator>

#include "engine/base/message.hpp"
#include "engine/text/pattern.hpp"

namespace headway {
namespace {

constexpr int kMaxDepth = 16;
// Places where a match chooses, one behind the other: each takes some 400 bytes of stack. Published
// patterns have 6.
constexpr size_t kMaxChoices = 100;
constexpr uint32_t kMaxRepeat = 1000;

constexpr std::string_view kCategoryNames[] = {
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn"};
constexpr uint32_t kAllCategories = (uint32_t{1} << (kSpaceControl + 1)) - 1;
constexpr uint32_t kSpaceCategories = 1u << kZs | 1u << kZl | 1u << kZp | 1u << kSpaceControl;

// \p{L} or \p{Lu}; 0 for a name that is neither. (Cs has no characters in UTF-8.)
uint32_t categories_named(std::string_view name) {
  uint32_t mask = 0;
  for (size_t i = 0; i < std::size(kCategoryNames); ++i)
    if (kCategoryNames[i] == name || (name.size() == 1 && kCategoryNames[i][0] == name[0]))
      mask |= 1u << i;
  return mask >> kCc & 1 ? mask | 1u << kSpaceControl : mask;
}

bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

}  // namespace

// Recursive descent into items, then nodes from the end to the start: each knows what is behind it.
class PatternParser {
 public:
  PatternParser(std::string_view source, const std::string& where)
      : source_(source), where_(where), p_(source.data()), end_(p_ + source.size()) {}

  Pattern parse() {
    if (source_.size() > Pattern::kMaxBytes) refuse("a pattern of more than 4096 bytes");
    const Alternatives whole = alternatives(false, 0);
    if (p_ != end_) refuse("a closing parenthesis without an opening one");
    pattern_.starts_ = link(whole, Pattern::kAccept);
    if (pattern_.depth() > kMaxChoices) refuse("a pattern of more than 100 choices in a row");
    if (pattern_.may_be_empty()) refuse("a pattern that matches the empty text");
    pattern_.name_ = cat(where_, ": pattern \"", source_, "\"");
    pattern_.prepare();
    return std::move(pattern_);
  }

 private:
  using Node = Pattern::Node;
  using Kind = Pattern::Kind;
  struct Item;
  using Alternatives = std::vector<std::vector<Item>>;

  // An atom and how often, or a group.
  struct Item {
    Node node;
    Alternatives group;
  };

  [[noreturn]] void refuse(std::string_view what) const {
    fail(ErrorCode::unsupported, where_, ": pattern \"", source_, "\": ", what,
         " is not supported");
  }
  [[noreturn]] void refuse_at(const char* from) const {
    refuse(cat("\"", std::string_view(from, static_cast<size_t>(end_ - from)).substr(0, 12), "\""));
  }

  bool at(std::string_view text) const {
    return std::string_view(p_, static_cast<size_t>(end_ - p_)).starts_with(text);
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    p_ += text.size();
    return true;
  }
  char32_t take() {
    if (p_ == end_) refuse("a pattern that ends too early");
    return decode_utf8(p_, end_);
  }

  // Up to a closing parenthesis or the end.
  Alternatives alternatives(bool ignore_case, int depth) {
    if (depth > kMaxDepth) refuse("a pattern of more than 16 levels");
    Alternatives result;
    do {
      std::vector<Item>& items = result.emplace_back();
      while (p_ != end_ && *p_ != '|' && *p_ != ')') items.push_back(item(ignore_case, depth));
      if (ignore_case) check_folding(items);
    } while (accept("|"));
    return result;
  }

  // The first node of each.
  std::vector<uint32_t> link(const Alternatives& group, uint32_t next) {
    std::vector<uint32_t> starts;
    for (const std::vector<Item>& items : group) {
      uint32_t start = next;
      for (size_t i = items.size(); i-- > 0;) start = link(items[i], start);
      starts.push_back(start);
    }
    return starts;
  }

  uint32_t link(const Item& item, uint32_t next) {
    Node node = item.node;
    node.next = next;
    if (node.kind == Kind::branch) {
      node.alternatives = link(item.group, next);
      if (node.min == 0) node.alternatives.push_back(next);
    } else if (node.kind == Kind::look_ahead) {
      node.alternatives = link(item.group, Pattern::kAccept);
    }
    pattern_.nodes_.push_back(std::move(node));
    return static_cast<uint32_t>(pattern_.nodes_.size() - 1);
  }

  Item item(bool ignore_case, int depth) {
    const char* const start = p_;
    Item item;
    if (accept("(")) {
      item.node.kind = Kind::branch;
      if (accept("?i:")) {
        ignore_case = true;
      } else if (accept("?=") || accept("?!")) {
        item.node.kind = Kind::look_ahead;
        item.node.negative = p_[-1] == '!';
      } else if (!accept("?:") && at("?")) {
        refuse_at(start);
      }
      item.group = alternatives(ignore_case, depth + 1);
      if (!accept(")")) refuse("a parenthesis that is not closed");
      if (item.node.kind == Kind::branch && accept("?")) item.node.min = 0;
      if (at("?") || at("*") || at("+") || at("{")) refuse("a group that is repeated");
      return item;
    }
    CharClass char_class;
    if (accept("[")) {
      if (ignore_case) refuse("a class in (?i:");
      set(char_class, start);
    } else {
      atom(char_class, ignore_case, start);
    }
    item.node.char_class = static_cast<uint32_t>(pattern_.classes_.size());
    pattern_.classes_.push_back(std::move(char_class));
    quantifier(item.node);
    return item;
  }

  void quantifier(Node& node) {
    const char* const start = p_;
    if (accept("?")) {
      node.min = 0;
    } else if (accept("*")) {
      node.min = 0;
      node.max = Pattern::kUnlimited;
    } else if (accept("+")) {
      node.max = Pattern::kUnlimited;
    } else if (accept("{")) {
      node.min = node.max = number(start);
      if (accept(",")) node.max = at("}") ? Pattern::kUnlimited : number(start);
      if (!accept("}") || node.max < node.min || node.max == 0) refuse_at(start);
      if (at("+")) refuse_at(start);  // Oniguruma repeats the repetition here
    } else {
      return;
    }
    node.possessive = accept("+");
    if (at("?") || at("*") || at("+") || at("{")) refuse_at(start);
  }

  uint32_t number(const char* start) {
    uint32_t value = 0;
    if (p_ == end_ || !is_digit(static_cast<unsigned char>(*p_))) refuse_at(start);
    while (p_ != end_ && is_digit(static_cast<unsigned char>(*p_))) {
      value = value * 10 + static_cast<uint32_t>(*p_++ - '0');
      if (value > kMaxRepeat) refuse("more than 1000 repetitions");
    }
    return value;
  }

  // A character outside of [].
  void atom(CharClass& char_class, bool ignore_case, const char* start) {
    const char32_t c = take();
    if (c == '\\') return escape(char_class, ignore_case, start);
    if (c == '.') {
      if (ignore_case) refuse("a class in (?i:");
      char_class.add_range('\n', '\n');
      char_class.negate();
      return;
    }
    if (c < 128 && std::string_view("^$*+?{})]").find(static_cast<char>(c)) != std::string::npos)
      refuse_at(start);
    literal(char_class, c, ignore_case);
  }

  void literal(CharClass& char_class, char32_t c, bool ignore_case) {
    char_class.add_range(c, c);
    if (!ignore_case) return;
    if (c >= 128) refuse("a character beyond ASCII in (?i:");
    if (!is_letter(c)) return;
    char_class.add_range(c ^ 0x20, c ^ 0x20);
    if ((c | 0x20) == 's') char_class.add_range(0x17F, 0x17F);    // long s
    if ((c | 0x20) == 'k') char_class.add_range(0x212A, 0x212A);  // Kelvin sign
  }

  // Unicode folds ligatures to several letters (ss, ff, fi, fl, st), so a sequence of letters in
  // (?i: may match one character; the published patterns have none of these.
  void check_folding(const std::vector<Item>& items) const {
    const auto has = [&](const Item& item, char c) {
      return item.node.kind == Kind::chars &&
             pattern_.classes_[item.node.char_class].has_range(static_cast<unsigned char>(c));
    };
    for (size_t i = 0; i + 1 < items.size(); ++i)
      for (const std::string_view pair : {"ss", "ff", "fi", "fl", "st"})
        if (has(items[i], pair[0]) && has(items[i + 1], pair[1]))
          refuse(cat("\"", pair, "\" in (?i:"));
  }

  // What stands behind a backslash: a set of characters, or one.
  void escape(CharClass& char_class, bool ignore_case, const char* start) {
    if (const uint32_t categories = category_escape(start)) {
      if (ignore_case) refuse("a class in (?i:");
      char_class.add_categories(categories);
    } else {
      literal(char_class, escaped_char(start), ignore_case);
    }
  }

  // \s, \d, \p{..} and their opposites, as a mask; 0, with nothing read, for anything else.
  uint32_t category_escape(const char* start) {
    if (p_ == end_) refuse("a pattern that ends too early");
    const char kind = *p_;
    uint32_t mask = 0;
    if (kind == 's' || kind == 'S') {
      mask = kSpaceCategories;
    } else if (kind == 'd' || kind == 'D') {
      mask = 1u << kNd;
    } else if (kind != 'p' && kind != 'P') {
      return 0;
    }
    ++p_;
    bool negated = kind == 'S' || kind == 'D' || kind == 'P';
    if (mask == 0) {
      if (!accept("{")) refuse_at(start);
      if (accept("^")) negated = !negated;
      const char* const name = p_;
      while (p_ != end_ && *p_ != '}') ++p_;
      mask = categories_named(std::string_view(name, static_cast<size_t>(p_ - name)));
      if (!accept("}") || mask == 0) refuse_at(start);
    }
    return negated ? kAllCategories & ~mask : mask;
  }

  char32_t escaped_char(const char* start) {
    const char32_t c = take();
    switch (c) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'u':
        return hexadecimal(4, start);
      case 'x': {
        if (!accept("{")) refuse_at(start);
        const char32_t value = hexadecimal(8, start);
        if (!accept("}")) refuse_at(start);
        return value;
      }
      default:
        if (c >= 128 || is_letter(c) || is_digit(c) || c < 0x20) refuse_at(start);
        return c;
    }
  }

  // Four digits for \u, up to eight for \x{}.
  char32_t hexadecimal(int most, const char* start) {
    char32_t value = 0;
    int digits = 0;
    for (; digits < most && p_ != end_; ++digits, ++p_) {
      const char c = static_cast<char>(*p_ | 0x20);
      const bool letter = c >= 'a' && c <= 'f';
      if (!letter && !is_digit(static_cast<unsigned char>(*p_))) break;
      value = value << 4 | static_cast<char32_t>(letter ? c - 'a' + 10 : *p_ - '0');
    }
    if (digits == 0 || (most == 4 && digits < 4) || value > 0x10FFFF ||
        (value >= 0xD800 && value < 0xE000))
      refuse_at(start);
    return value;
  }

  // The inside of [].
  void set(CharClass& char_class, const char* start) {
    const bool negated = accept("^");
    bool empty = true;
    while (!accept("]")) {
      if (at("[") || at("&&")) refuse("a class in a class");
      char32_t first;
      const char* const from = p_;
      const char32_t c = take();
      empty = false;
      if (c == '\\') {
        if (const uint32_t categories = category_escape(from)) {
          if (at("-") && !at("-]")) refuse_at(from);
          char_class.add_categories(categories);
          continue;
        }
        first = escaped_char(from);
      } else {
        first = c;
        // Elsewhere than at an end Oniguruma has rules of its own for it.
        if (c == '-' && from != start + 1 + negated && !at("]")) refuse_at(from);
      }
      char32_t last = first;
      if (at("-") && !at("-]")) {
        ++p_;
        if (at("[") || at("-")) refuse_at(from);
        last = take();
        if (last == '\\') {
          if (p_ != end_ && std::string_view("sSdDpP").find(*p_) != std::string::npos)
            refuse_at(from);
          last = escaped_char(from);
        }
        if (last < first) refuse_at(from);
      }
      char_class.add_range(first, last);
    }
    if (empty) refuse_at(start);
    if (negated) char_class.negate();
  }

  std::string_view source_;
  const std::string& where_;
  const char* p_;
  const char* end_;
  Pattern pattern_;
};

Pattern Pattern::regex(std::string_view source, const std::string& where) {
  return PatternParser(source, where).parse();
}

Pattern Pattern::literal(std::string_view text) {
  Pattern pattern;
  pattern.literal_ = text;
  return pattern;
}

}  // namespace headway
