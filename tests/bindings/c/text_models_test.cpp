// What all kinds of models on texts have: opening, copying, facts, memory, the tokenizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

template <typename Kind>
class CTextModel : public testing::Test {
 protected:
  void expect_refused(headway_status status, const std::string& text) {
    EXPECT_EQ(status, HEADWAY_INVALID_ARGUMENT);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }

  headway_error error = sized<headway_error>();
  headway_memory memory = sized<headway_memory>();
  headway_model_info info = sized<headway_model_info>();
};

using Kinds =
    testing::Types<Kind<headway_embedder>, Kind<headway_reranker>, Kind<headway_classifier>,
                   Kind<headway_sparse_embedder>, Kind<headway_multi_vector_embedder>,
                   Kind<headway_token_classifier>, Kind<headway_masked_lm>>;
TYPED_TEST_SUITE(CTextModel, Kinds);

TYPED_TEST(CTextModel, FactsAreThoseOfCpp) {
  using Handle = typename TypeParam::Handle;
  const auto handle = open_golden<Handle>();
  const auto opened = TypeParam::Model::open(TypeParam::directory());
  const ModelInfo& expected = opened.info();
  headway_model_info& info = this->info;
  ASSERT_EQ(TypeParam::info(handle.get(), &info, nullptr), HEADWAY_OK);
  EXPECT_EQ(info.dim, expected.dim);
  EXPECT_EQ(info.layers, expected.layers);
  EXPECT_EQ(info.heads, expected.heads);
  EXPECT_EQ(info.vocabulary, expected.vocabulary);
  EXPECT_EQ(info.parameters, expected.parameters);
  EXPECT_EQ(info.max_length, expected.max_length);
  EXPECT_EQ(info.max_length_from, expected.sources.at("max_length"));
  EXPECT_EQ(info.architecture, expected.architecture);
  EXPECT_EQ(info.pooling, expected.pooling);
  EXPECT_EQ(info.normalize, expected.normalize ? 1 : 0);
  EXPECT_EQ(std::vector<std::string>(info.labels, info.labels + info.label_count), expected.labels);
  EXPECT_EQ(info.activation, expected.activation);
  EXPECT_EQ(info.weights, expected.weights);
  EXPECT_EQ(info.tokenizer, expected.tokenizer);
  EXPECT_EQ(info.default_prompt_name, expected.default_prompt_name);
}

// Headers of before there were labels.
TYPED_TEST(CTextModel, OlderFactsDo) {
  using Handle = typename TypeParam::Handle;
  const auto handle = open_golden<Handle>();
  this->info.size = offsetof(headway_model_info, labels);
  this->info.label_count = 42;
  ASSERT_EQ(TypeParam::info(handle.get(), &this->info, nullptr), HEADWAY_OK);
  EXPECT_GT(this->info.dim, 0);
  EXPECT_EQ(this->info.label_count, 42u);
}

// What the facts point to stays, and so does the tokenizer.
TYPED_TEST(CTextModel, CopiesOutliveTheirOriginal) {
  using Handle = typename TypeParam::Handle;
  auto handle = open_golden<Handle>();
  Handle* copy = nullptr;
  ASSERT_EQ(TypeParam::copy(handle.get(), &copy, nullptr), HEADWAY_OK);
  const Owned<Handle> owned(copy, TypeParam::close);
  ASSERT_EQ(TypeParam::info(handle.get(), &this->info, nullptr), HEADWAY_OK);
  const headway_model_info before = this->info;
  headway_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(TypeParam::tokenizer(handle.get(), &tokenizer, nullptr), HEADWAY_OK);
  const TokenizerHandle own(tokenizer, headway_tokenizer_close);
  handle.reset();

  ASSERT_EQ(TypeParam::info(copy, &this->info, nullptr), HEADWAY_OK);
  EXPECT_EQ(this->info.labels, before.labels);
  EXPECT_STREQ(this->info.architecture, before.architecture);
  auto facts = sized<headway_tokenizer_info>();
  ASSERT_EQ(headway_tokenizer_get_info(tokenizer, &facts, nullptr), HEADWAY_OK);
  EXPECT_LE(facts.vocabulary, this->info.vocabulary);
  ASSERT_EQ(TypeParam::memory(copy, &this->memory, nullptr), HEADWAY_OK);
  EXPECT_GT(this->memory.packed_weights, 0u);
  EXPECT_EQ(TypeParam::trim(copy, nullptr), HEADWAY_OK);
}

TYPED_TEST(CTextModel, ReadsItsOptions) {
  using Handle = typename TypeParam::Handle;
  auto options = sized<headway_options>();
  options.max_length = 7;
  Handle* opened = nullptr;
  ASSERT_EQ(TypeParam::open(TypeParam::directory().c_str(), &options, &opened, nullptr),
            HEADWAY_OK);
  const Owned<Handle> handle(opened, TypeParam::close);
  ASSERT_EQ(TypeParam::info(opened, &this->info, nullptr), HEADWAY_OK);
  EXPECT_EQ(this->info.max_length, 7);
  EXPECT_STREQ(this->info.max_length_from, "options");
  options.max_length = 1 << 30;
  EXPECT_EQ(TypeParam::open(TypeParam::directory().c_str(), &options, &opened, &this->error),
            HEADWAY_LIMIT);
  EXPECT_EQ(opened, nullptr);
}

TYPED_TEST(CTextModel, NamesWhatIsWrong) {
  using Handle = typename TypeParam::Handle;
  headway_error* const error = &this->error;
  const std::string name = TypeParam::kName;
  Handle* handle = nullptr;
  this->expect_refused(TypeParam::open("x", nullptr, nullptr, error), name + ": ");
  this->expect_refused(TypeParam::open(nullptr, nullptr, &handle, error), "directory: ");
  this->expect_refused(TypeParam::copy(nullptr, &handle, error), name + ": ");
  this->expect_refused(TypeParam::info(nullptr, &this->info, error), name + ": ");
  this->expect_refused(TypeParam::memory(nullptr, &this->memory, error), name + ": ");
  this->expect_refused(TypeParam::trim(nullptr, error), name + ": ");
  headway_tokenizer* tokenizer = nullptr;
  this->expect_refused(TypeParam::tokenizer(nullptr, &tokenizer, error), name + ": ");
  TypeParam::close(nullptr);

  const auto opened = open_golden<Handle>();
  this->expect_refused(TypeParam::copy(opened.get(), nullptr, error), "copy: ");
  this->expect_refused(TypeParam::info(opened.get(), nullptr, error), "info: ");
  this->expect_refused(TypeParam::memory(opened.get(), nullptr, error), "memory: ");
  this->expect_refused(TypeParam::tokenizer(opened.get(), nullptr, error), "tokenizer: ");
  EXPECT_EQ(TypeParam::open("no such place", nullptr, &handle, error), HEADWAY_NOT_FOUND);
  EXPECT_THAT(error->message, testing::HasSubstr("no such place"));
}

// A closed handle, and one of another kind.
TYPED_TEST(CTextModel, RefusesOtherHandles) {
  using Handle = typename TypeParam::Handle;
  Handle* const closed = open_golden<Handle>().release();
  TypeParam::close(closed);
  this->expect_refused(
      TypeParam::trim(closed, &this->error),
      std::string(TypeParam::kName) + ": expected an open handle, found one that has");
  const SmallLayer layer;
  this->expect_refused(TypeParam::info(reinterpret_cast<const Handle*>(layer.handle.get()),
                                       &this->info, &this->error),
                       std::string(TypeParam::kName) + ": expected an open handle");
}

}  // namespace
}  // namespace headway::c
