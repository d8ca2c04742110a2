// The character map of SentencePiece (the normalizer Precompiled of tokenizer.json).
//
// Format: SentencePiece's normalizer.cc: the size of a double array (Darts clone) in bytes, the
// array, both little endian, then the replacements, each ended by NUL. Behaviour of the crate
// spm_precompiled and tokenizers 0.23.3, normalizers/precompiled.rs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/function_ref.hpp"

namespace headway {

struct NormalizerMemory;

// Copies share the map. Immutable; any thread may use it.
class Charsmap {
 public:
  // Error(format) that starts with `where` for what is cut short or not UTF-8.
  Charsmap(std::string_view bytes, const std::string& where);

  // As the other normalizers (normalizers.hpp). A cluster of less than 6 bytes becomes the
  // replacement of the shortest key it starts with; other characters are replaced one by one.
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
  // The same for a caller who wants to know what becomes of what: parts that stay, and parts with
  // their replacements.
  void walk(std::string_view text, FunctionRef<void(std::string_view)> keep,
            FunctionRef<void(std::string_view, std::string_view)> replace) const;

 private:
  struct Map {
    std::vector<uint32_t> units;
    std::string replacements;
  };
  std::optional<std::string_view> find(std::string_view text) const;
  template <typename Keep, typename Replace>
  void for_each_part(std::string_view text, Keep&& keep, Replace&& replace) const;

  std::shared_ptr<const Map> map_;
  std::array<bool, 128> ascii_stays_;  // no key starts with it
};

}  // namespace headway
