// Texts through a masked language model, of which only the masks' tokens reach the vocabulary.
#include "headway/masked_lm.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/message.hpp"
#include "engine/embed/text_runner.hpp"
#include "engine/kernels/softmax.hpp"
#include "engine/models/heads.hpp"
#include "engine/runtime/parallel.hpp"
#include "headway/layers.hpp"
#include "headway/reranker.hpp"

namespace headway {
namespace {

constexpr const char* kMaskRole = "mask_token";

// Some masks and their texts, as the engine takes them. A text whose masks are more than have room
// stands in several: computing it again is cheaper than memory for all.
struct MaskBatch {
  std::vector<int32_t> ids, places;     // places: of masks within their text
  std::vector<int64_t> lengths, masks;  // of each text
  std::vector<size_t> owners;           // of each mask, the number of its text among all

  void add(size_t number, std::span<const int32_t> text, std::span<const int32_t> some) {
    ids.insert(ids.end(), text.begin(), text.end());
    places.insert(places.end(), some.begin(), some.end());
    lengths.push_back(static_cast<int64_t>(text.size()));
    masks.push_back(static_cast<int64_t>(some.size()));
    owners.insert(owners.end(), some.size(), number);
  }

  // Into `logits` [masks, vocabulary].
  void run(const Engine& engine, MutableTensorView logits, const RunOptions& options) const {
    const Batch texts = Batch::ragged(lengths), picks = Batch::ragged(masks);
    const std::vector<int32_t> type_ids(ids.size());  // 0: one sentence
    engine.run({{"ids", texts, TensorView(ids.data(), {texts.rows(), 1})},
                {"type_ids", texts, TensorView(type_ids.data(), {texts.rows(), 1})},
                {"masks", picks, TensorView(places.data(), {picks.rows(), 1})}},
               {{"logits", logits}}, options);
  }
};

std::vector<FilledToken> best_tokens(const Tokenizer& tokenizer, std::span<float> logits,
                                     size_t top_k) {
  softmax(logits.data(), logits.size(), 1);
  std::vector<FilledToken> best;
  for (const RankedDocument& token : rank(logits, top_k)) {
    const auto id = static_cast<int32_t>(token.index);
    best.push_back({id, tokenizer.decode(std::span(&id, 1), false), token.score});
  }
  return best;
}

// Appends what fills the masks of the batch to those of their texts.
void fill(const TextRunner& runner, const MaskBatch& batch, size_t top_k, const RunOptions& options,
          FilledMasks& filled) {
  const auto masks = static_cast<int64_t>(batch.places.size());
  const int64_t vocabulary = runner.info.vocabulary;
  std::vector<float> logits(static_cast<size_t>(masks * vocabulary));
  batch.run(runner.engine, MutableTensorView(logits.data(), {masks, vocabulary}), options);
  std::vector<std::vector<FilledToken>> best(batch.places.size());
  run_team(runner.threads_for(options), [&](Team& team) {
    team.for_each(masks, [&](int64_t mask) {
      const std::span row(logits.data() + mask * vocabulary, static_cast<size_t>(vocabulary));
      best[static_cast<size_t>(mask)] = best_tokens(runner.tokenizer, row, top_k);
    });
  });
  for (size_t i = 0; i < best.size(); ++i)
    filled.texts[batch.owners[i]].push_back(std::move(best[i]));
}

}  // namespace

MaskedLM MaskedLM::open(const std::filesystem::path& directory, const EmbedderOptions& options) {
  OpenedModel opened = open_headed_model(directory, options, TransformerTask::masked_lm);
  if (!opened.tokenizer.special_token(kMaskRole))
    fail(ErrorCode::unsupported, opened.pipeline.transformer.string(),
         ": tokenizer_config.json: field \"", kMaskRole,
         "\": expected the token that stands for a gap, "
         "found none");
  LoadedModel& model = opened.model;
  model.hidden =
      gather(model.graph, model.hidden, model.graph.input("masks", DType::i32, 1), "masks");
  model.graph.output("logits", add_masked_lm(opened.files, model));
  ModelInfo info = describe(opened);
  info.dim = model.vocabulary;
  info.activation = "softmax";
  return MaskedLM(
      std::make_shared<const TextRunner>(make_runner(std::move(opened), std::move(info), options)));
}

std::string_view MaskedLM::mask_token() const {
  return *tokenizer().id_to_token(*tokenizer().special_token(kMaskRole));
}

FilledMasks MaskedLM::fill_mask(std::span<const std::string_view> texts, size_t top_k,
                                const RunOptions& options) const {
  const auto vocabulary = static_cast<size_t>(info().vocabulary);
  if (top_k < 1 || top_k > vocabulary)
    fail(ErrorCode::invalid_argument, "top_k: expected 1 to ", vocabulary, ", found ", top_k);
  const EncodeOptions encode_options{.max_length = static_cast<size_t>(info().max_length)};
  const int32_t mask = *tokenizer().special_token(kMaskRole);
  // Logits take 64 MB at most: those of 549 masks with BERT's vocabulary, of 67 with XLM-R's.
  constexpr size_t kLogits = size_t{1} << 24;
  const size_t room = std::max<size_t>(kLogits / vocabulary, 1);

  FilledMasks filled;
  filled.texts.resize(texts.size());
  MaskBatch batch;
  const auto fill_batch = [&] {
    fill(runner(), batch, top_k, options, filled);
    batch = {};
  };
  const auto bytes = [&](size_t i) { return texts[i].size(); };
  const auto encode = [&](size_t i, std::vector<int32_t>& ids, std::vector<int32_t>&) {
    return tokenizer().encode_append(texts[i], encode_options, ids);
  };
  const auto run = [&](const TextRunner::Window& window) {
    std::span<const int32_t> ids = window.tokens.ids();
    std::vector<int32_t> places;
    for (size_t i = 0; i < window.tokens.lengths().size(); ++i) {
      const auto length = static_cast<size_t>(window.tokens.lengths()[i]);
      const auto text = ids.first(length);
      ids = ids.subspan(length);
      places.clear();
      for (size_t place = 0; place < length; ++place)
        if (text[place] == mask) places.push_back(static_cast<int32_t>(place));
      const size_t number = window.first + i;
      if (places.empty())
        fail(ErrorCode::invalid_argument, "texts[", number, "]: no mask token \"", mask_token(),
             "\" among its ", length, " tokens");
      for (std::span<const int32_t> rest = places; !rest.empty();) {
        const auto some = rest.first(std::min(rest.size(), room - batch.owners.size()));
        rest = rest.subspan(some.size());
        batch.add(number, text, some);
        if (batch.owners.size() == room) fill_batch();
      }
    }
    if (!batch.owners.empty()) fill_batch();
  };
  filled.stats = runner().run(texts.size(), bytes, encode, run, options);
  return filled;
}

}  // namespace headway
