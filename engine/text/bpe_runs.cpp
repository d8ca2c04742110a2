// The merges of a word that is a few symbols again and again: "     ", "-----", "aaaa".
#include "engine/text/bpe.hpp"

#include <algorithm>

namespace headway {
namespace {

// A word of more runs is no such word; 64 is what the merges may make of 16 at the start.
constexpr size_t kFewRuns = 16;
constexpr size_t kMostRuns = 64;

}  // namespace

// All pairs of equal symbols in a run have one rank, so that a run is halved in one step, where
// merge_many joins and looks up every pair: that takes 0.9 s for 10 MB of spaces.
bool Bpe::merge_runs(Memory& memory) const {
  using Run = Memory::Run;
  std::vector<Run>&runs = memory.runs, &merged = memory.merged_runs;
  const auto put = [](std::vector<Run>& to, int32_t id, size_t count) {
    if (count == 0) return;
    if (!to.empty() && to.back().id == id) {
      to.back().count += count;
    } else {
      to.push_back({id, count});
    }
  };
  runs.clear();
  for (const int32_t id : memory.ids) {
    put(runs, id, 1);
    if (runs.size() > kFewRuns) return false;
  }
  for (;;) {
    uint32_t lowest = kNoRank;
    size_t at = 0;
    bool inside = false;  // of a run; else between one and the next
    for (size_t i = 0; i < runs.size(); ++i) {
      const uint32_t in_run = runs[i].count > 1 ? rank(runs[i].id, runs[i].id) : kNoRank;
      const uint32_t to_next = i + 1 < runs.size() ? rank(runs[i].id, runs[i + 1].id) : kNoRank;
      if (std::min(in_run, to_next) >= lowest) continue;
      inside = in_run < to_next;
      lowest = std::min(in_run, to_next);
      at = i;
    }
    if (lowest == kNoRank) break;
    const int32_t joined = joined_[lowest];
    merged.clear();
    for (size_t i = 0; i < at; ++i) put(merged, runs[i].id, runs[i].count);
    if (inside) {
      put(merged, joined, runs[at].count / 2);
      put(merged, runs[at].id, runs[at].count % 2);
    } else {
      put(merged, runs[at].id, runs[at].count - 1);
      put(merged, joined, 1);
      put(merged, runs[at + 1].id, runs[at + 1].count - 1);
    }
    for (size_t i = at + (inside ? 1 : 2); i < runs.size(); ++i)
      put(merged, runs[i].id, runs[i].count);
    // A merge that comes before the others of this rank, which learned merges never bring about.
    if (rank(joined, joined) <= lowest || rank(joined, runs[at].id) <= lowest) return false;
    for (const Run& run : merged)
      if (rank(run.id, joined) <= lowest || rank(joined, run.id) <= lowest) return false;
    runs.swap(merged);
    if (runs.size() > kMostRuns) return false;
  }
  memory.ids.clear();
  for (const Run& run : runs) memory.ids.insert(memory.ids.end(), run.count, run.id);
  return true;
}

}  // namespace headway
