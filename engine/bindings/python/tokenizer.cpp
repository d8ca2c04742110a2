// The Tokenizer.
#include "headway/tokenizer.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/parts.hpp"
#include "engine/bindings/python/text_models.hpp"
#include "headway/error.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

Tokenizer open(nb::bytes path, bool lower_case) {
  const std::string name(path.c_str(), path.size());
  const nb::gil_scoped_release others_may_run;
  return Tokenizer::open(name, {.lower_case = lower_case});
}

TruncationStrategy read_strategy(std::string_view name) {
  if (name == "longest_first") return TruncationStrategy::longest_first;
  if (name == "only_first") return TruncationStrategy::only_first;
  if (name == "only_second") return TruncationStrategy::only_second;
  throw Error(ErrorCode::invalid_argument,
              "strategy: expected one of longest_first, only_first, only_second, found \"" +
                  std::string(name) + "\"");
}

std::optional<TruncationSide> read_side(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  if (*name == "right") return TruncationSide::right;
  if (*name == "left") return TruncationSide::left;
  throw Error(ErrorCode::invalid_argument,
              "side: expected one of right, left, found \"" + *name + "\"");
}

EncodeOptions read_options(std::optional<size_t> max_length, bool add_special_tokens,
                           bool encode_special_tokens, const std::string& strategy,
                           const std::optional<std::string>& side, bool offsets) {
  EncodeOptions options;
  options.max_length = max_length.value_or(EncodeOptions::kNoLimit);
  options.add_special_tokens = add_special_tokens;
  options.encode_special_tokens = encode_special_tokens;
  options.strategy = read_strategy(strategy);
  options.side = read_side(side);
  options.offsets = offsets;
  return options;
}

// Places in bytes become places in characters, which Python counts.
void count_characters(std::vector<Encoding>& encodings, std::array<std::string_view, 2> texts) {
  const std::array<std::vector<size_t>, 2> characters = {characters_before(texts[0]),
                                                         characters_before(texts[1])};
  for (Encoding& encoding : encodings) {
    for (TokenOffsets& place : encoding.offsets) {
      if (place.text < 0) continue;
      const std::vector<size_t>& before = characters[static_cast<size_t>(place.text)];
      place.begin = before[place.begin];
      place.end = before[place.end];
    }
  }
}

// ids, type ids, places [T, 2] and texts of tokens or None, truncated.
nb::tuple to_tuple(Encoding encoding, bool offsets) {
  const size_t size = encoding.ids.size();
  encoding.type_ids.resize(size);  // of a single text there are none yet
  nb::object places = nb::none(), of_texts = nb::none();
  if (offsets) {
    std::vector<int64_t> ends;
    std::vector<int32_t> texts;
    ends.reserve(2 * size);
    texts.reserve(size);
    for (const TokenOffsets& place : encoding.offsets) {
      ends.push_back(static_cast<int64_t>(place.begin));
      ends.push_back(static_cast<int64_t>(place.end));
      texts.push_back(place.text);
    }
    places = nb::cast(to_numpy(std::move(ends), {size, 2}));
    of_texts = nb::cast(to_numpy(std::move(texts)));
  }
  return nb::make_tuple(to_numpy(std::move(encoding.ids)), to_numpy(std::move(encoding.type_ids)),
                        places, of_texts, encoding.truncated);
}

using Tuples = nb::typed<nb::list, nb::any>;

// `seconds`: empty, or as many as texts. `stride`: give the windows of the text, which is one.
Tuples encode(const Tokenizer& tokenizer, const TextList& texts, const TextList& seconds,
              std::optional<size_t> stride, std::optional<size_t> max_length,
              bool add_special_tokens, bool encode_special_tokens, const std::string& strategy,
              const std::optional<std::string>& side, bool offsets) {
  const EncodeOptions options =
      read_options(max_length, add_special_tokens, encode_special_tokens, strategy, side, offsets);
  const Texts firsts(texts), others(seconds, "pairs");
  const bool pairs = !others.views().empty();
  if (pairs && others.views().size() != firsts.views().size())
    throw Error(ErrorCode::internal, "expected as many second texts as first ones");
  std::vector<Encoding> encodings;
  {
    const nb::gil_scoped_release others_may_run;
    for (size_t i = 0; i < firsts.views().size(); ++i) {
      const std::string_view first = firsts.views()[i];
      const std::string_view second = pairs ? others.views()[i] : std::string_view();
      std::vector<Encoding> made;
      if (stride) {
        made = pairs ? tokenizer.encode_pair_windows(first, second, *stride, options)
                     : tokenizer.encode_windows(first, *stride, options);
      } else {
        made.push_back(pairs ? tokenizer.encode_pair(first, second, options)
                             : tokenizer.encode(first, options));
      }
      if (offsets) count_characters(made, {first, second});
      std::move(made.begin(), made.end(), std::back_inserter(encodings));
    }
  }
  Tuples tuples;
  for (Encoding& encoding : encodings) tuples.append(to_tuple(std::move(encoding), offsets));
  return tuples;
}

std::string decode(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                   bool skip_special_tokens) {
  const nb::gil_scoped_release others_may_run;
  return tokenizer.decode(ids, skip_special_tokens);
}

}  // namespace

void add_tokenizer(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Tokenizer>(module, "Tokenizer")
      .def_static("open", &open, "path"_a, "lower_case"_a)
      .def("encode", &encode, "texts"_a, "seconds"_a, "stride"_a.none(), "max_length"_a.none(),
           "add_special_tokens"_a, "encode_special_tokens"_a, "strategy"_a, "side"_a.none(),
           "offsets"_a)
      .def("decode", &decode, "ids"_a, "skip_special_tokens"_a)
      .def("token_to_id", &Tokenizer::token_to_id, "token"_a)
      .def("id_to_token", &Tokenizer::id_to_token, "id"_a)
      .def("special_token", &Tokenizer::special_token, "role"_a)
      .def("vocab_size", &Tokenizer::vocab_size)
      .def("special_tokens", &Tokenizer::special_tokens)
      .def("pair_special_tokens", &Tokenizer::pair_special_tokens)
      .def("model_max_length", &Tokenizer::model_max_length);
}

}  // namespace headway::python
