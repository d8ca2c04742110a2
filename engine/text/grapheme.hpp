// Grapheme clusters (Unicode Standard Annex 29), as far as the normalizer Precompiled shows them.
#pragma once

#include <cstdint>

namespace headway {

// Flags and Hangul beyond the basic plane are `other`: see scripts/make_grapheme_table.py.
enum class GraphemeClass : uint8_t {
  other,
  control,
  extend,           // a mark that does not hold a conjunct together
  conjunct_extend,  // a mark that does
  linker,           // a virama that joins consonants
  zwj,
  spacing,  // a spacing mark
  prepend,
  lead,  // Hangul
  vowel,
  tail,
  lead_vowel,
  syllable,
  pictographic,
  consonant,  // of the scripts that have linkers
};

GraphemeClass grapheme_class(char32_t c);

// One cluster, character by character.
class GraphemeCluster {
 public:
  explicit GraphemeCluster(char32_t first) { add(first, grapheme_class(first)); }

  // Whether `c`, which follows the characters so far, belongs to the cluster; if so it is added.
  bool accept(char32_t c);

 private:
  bool holds(char32_t c, GraphemeClass next) const;
  void add(char32_t c, GraphemeClass next);

  GraphemeClass last_ = GraphemeClass::other;
  char32_t last_char_ = 0;
  bool pictographic_ = false;  // ends with a pictographic and marks
  bool joiner_ = false;        // ends with a pictographic, marks and a zero width joiner
  bool consonant_ = false;     // ends with a consonant and marks
  bool linked_ = false;        // with a linker among them
};

}  // namespace headway
