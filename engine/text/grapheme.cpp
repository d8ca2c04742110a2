// The rules GB3 to GB11, for pairs of classes and the little that reaches further back.
#include "engine/text/grapheme.hpp"

#include "engine/text/unicode.hpp"

namespace headway {
namespace {

using unicode_internal::kBlock;
#include "engine/text/grapheme_table.inc"

}  // namespace

GraphemeClass grapheme_class(char32_t c) {
  return static_cast<GraphemeClass>(
      kGraphemeClasses[kGraphemeBlocks[c / kBlock] * kBlock + c % kBlock]);
}

bool GraphemeCluster::accept(char32_t c) {
  const GraphemeClass next = grapheme_class(c);
  if (!holds(c, next)) return false;
  add(c, next);
  return true;
}

void GraphemeCluster::add(char32_t c, GraphemeClass next) {
  using enum GraphemeClass;
  const bool mark = next == extend || next == conjunct_extend || next == linker;
  joiner_ = pictographic_ && next == zwj;
  pictographic_ = next == pictographic || (pictographic_ && mark);
  consonant_ = next == consonant ||
               (consonant_ && (next == conjunct_extend || next == linker || next == zwj));
  linked_ = consonant_ && next != consonant && (linked_ || next == linker);
  last_ = next;
  last_char_ = c;
}

bool GraphemeCluster::holds(char32_t c, GraphemeClass next) const {
  using enum GraphemeClass;
  if (last_ == control || next == control) return last_char_ == '\r' && c == '\n';
  switch (next) {
    case extend:
    case conjunct_extend:
    case linker:
    case zwj:
    case spacing:
      return true;
    case lead:
    case lead_vowel:
    case syllable:
      return last_ == lead || last_ == prepend;
    case vowel:
      return last_ == lead || last_ == lead_vowel || last_ == vowel || last_ == prepend;
    case tail:
      return last_ == lead_vowel || last_ == syllable || last_ == vowel || last_ == tail ||
             last_ == prepend;
    case pictographic:
      return joiner_ || last_ == prepend;
    case consonant:
      return linked_ || last_ == prepend;
    default:
      return last_ == prepend;
  }
}

}  // namespace headway
