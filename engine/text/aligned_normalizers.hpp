// The normalizers on texts that remember where they come from.
#pragma once

#include <string_view>
#include <vector>

#include "engine/text/aligned_text.hpp"
#include "engine/text/normalizers.hpp"

namespace headway {

// Fills `out` with `text`, which starts at byte `begin` of the caller's text, as ChainEncoder makes
// it valid and normalizes it. `budget`: as in NormalizerMemory.
void normalize_aligned(const std::vector<Normalizer>& normalizers, std::string_view text,
                       size_t begin, WorkBudget& budget, AlignedText& out);

}  // namespace headway
