// Masks are filled through the C interface as in C++.
#include "headway/masked_lm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

class CMaskedLM : public testing::TestWithParam<const char*> {
 protected:
  headway_fill_mask_request request() {
    auto request = request_for<headway_fill_mask_request>(golden, ids.size());
    request.offsets = offsets.data();
    request.ids = ids.data();
    request.scores = scores.data();
    return request;
  }
  void expect(headway_status expected, const std::string& text, headway_fill_mask_request request) {
    EXPECT_EQ(headway_fill_mask(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }
  void expect_tokens_of_cpp(headway_fill_mask_request request, size_t top_k) {
    ASSERT_EQ(headway_fill_mask(handle.get(), &request, &error), HEADWAY_OK) << error.message;
    const FilledMasks expected = model.fill_mask(golden.views, top_k);
    size_t next = 0;
    for (size_t i = 0; i < golden.views.size(); ++i) {
      EXPECT_EQ(offsets[i], next);
      for (const auto& mask : expected.texts[i]) {
        ASSERT_EQ(mask.size(), top_k);
        for (const FilledToken& token : mask) {
          EXPECT_EQ(ids[next], token.id);
          EXPECT_EQ(scores[next++], token.score);
        }
      }
    }
    EXPECT_EQ(offsets.back(), next);
    EXPECT_EQ(request.total, next);
    EXPECT_EQ(request.tokens, expected.stats.tokens);
    EXPECT_EQ(request.truncated, expected.stats.truncated);
  }

  std::string name = std::string("tokens/") + GetParam();
  GoldenTexts golden{name, "masked"};
  MaskedLM model = MaskedLM::open(golden_path(name));
  Owned<headway_masked_lm> handle = open_golden<headway_masked_lm>(golden_path(name));
  std::vector<size_t> offsets = std::vector<size_t>(golden.texts.size() + 1, 9999);
  std::vector<int32_t> ids = std::vector<int32_t>(100, -1);
  std::vector<float> scores = std::vector<float>(100, -1);
  headway_error error = sized<headway_error>();
};

TEST_P(CMaskedLM, FillsAsCpp) {
  headway_fill_mask_request request = this->request();
  expect_tokens_of_cpp(request, 5);
  request.top_k = 3;
  expect_tokens_of_cpp(request, 3);
  headway_text token{};
  ASSERT_EQ(headway_masked_lm_get_mask_token(handle.get(), &token, nullptr), HEADWAY_OK);
  EXPECT_EQ(std::string_view(token.data, token.length), model.mask_token());
}

TEST_P(CMaskedLM, SaysHowMuchRoomItNeeds) {
  headway_fill_mask_request request = this->request();
  request.capacity = 0;
  request.ids = nullptr;
  request.scores = nullptr;
  ASSERT_EQ(headway_fill_mask(handle.get(), &request, &error), HEADWAY_BUFFER_TOO_SMALL);
  const size_t total = request.total;
  ASSERT_GT(total, 0u);
  EXPECT_THAT(error.message,
              testing::HasSubstr("request.capacity: needed " + std::to_string(total)));
  EXPECT_THAT(offsets, testing::Each(9999));
  request = this->request();
  request.capacity = total;
  expect_tokens_of_cpp(request, 5);
}

TEST_P(CMaskedLM, RefusesWhatCannotBe) {
  const headway_fill_mask_request good = request();
  headway_fill_mask_request request = good;
  expect_bad_texts_refused(good, [&](auto* request, auto* error) {
    return headway_fill_mask(handle.get(), request, error);
  });
  request.offsets = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.offsets: ", request);
  request = good;
  request.ids = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.ids: ", request);
  request = good;
  request.scores = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.scores: ", request);
  request = good;
  request.top_k = std::numeric_limits<size_t>::max();
  expect(HEADWAY_INVALID_ARGUMENT, "top_k: ", request);
  golden.texts[1] = {"no gap", 6};
  expect(HEADWAY_INVALID_ARGUMENT, "texts[1]: no mask token", good);
  EXPECT_THAT(offsets, testing::Each(9999));
  EXPECT_THAT(ids, testing::Each(-1));
  auto none = sized<headway_fill_mask_request>();
  none.offsets = offsets.data();
  expect(HEADWAY_OK, "", none);
  EXPECT_EQ(offsets[0], 0u);
  headway_text token{};
  EXPECT_EQ(headway_masked_lm_get_mask_token(nullptr, &token, nullptr), HEADWAY_INVALID_ARGUMENT);
  EXPECT_EQ(headway_masked_lm_get_mask_token(handle.get(), nullptr, &error),
            HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("token: expected a pointer"));
  EXPECT_EQ(headway_fill_mask(nullptr, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("masked_lm: "));
}

INSTANTIATE_TEST_SUITE_P(All, CMaskedLM, testing::Values("bert", "roberta"));

}  // namespace
}  // namespace headway::c
