// headway info: this machine, and a model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/model.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(InfoCommand, shows_the_machine) {
  const ProcessResult result = run_headway({"info"}, {.environment = {{"OMP_NUM_THREADS", "1"}}});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("headway +[0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(result.out, ContainsRegex("Highway +[A-Z]"));
  EXPECT_THAT(result.out, ContainsRegex("oneDNN +[a-z0-9_]+, version [0-9]+\\."));
  EXPECT_THAT(result.out, ContainsRegex("usable cores +[1-9]"));
  EXPECT_THAT(result.out, ContainsRegex("default threads +1\n"));
}

TEST(InfoCommand, holds_both_libraries_to_the_isa) {
  const ProcessResult result = run_headway({"info", "--isa", "sse4"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("instructions +sse4"));
  EXPECT_THAT(result.out, ContainsRegex("Highway +SSE4\n"));
  EXPECT_THAT(result.out, ContainsRegex("oneDNN +sse41,"));
}

TEST(InfoCommand, shows_a_model) {
  const ProcessResult result = run_headway({"info", "--model", model_directory()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("bert, 6 layers, hidden size 384, 12 heads, vocabulary 30522"));
  EXPECT_THAT(result.out, ContainsRegex("task +vectors of texts: headway embed\n"));
  EXPECT_THAT(
      result.out,
      ContainsRegex("weights +2[0-9],[0-9]{3},[0-9]{3} of f32 \\(from model.safetensors\\)\n"));
  EXPECT_THAT(result.out, ContainsRegex("tokenizer +WordPiece \\(from tokenizer.json for the "
                                        "vocabulary, tokenizer_config.json: tokenizer_class\\)\n"));
  EXPECT_THAT(result.out, HasSubstr("256 tokens (from sentence_bert_config.json: max_seq_length)"));
  EXPECT_THAT(result.out, ContainsRegex("pooling +mean \\(from 1_Pooling/config.json\\)\n"));
  EXPECT_THAT(result.out, ContainsRegex("normalize +yes \\(from modules.json: 2_Normalize\\)\n"));
  EXPECT_THAT(result.out, ContainsRegex("packed weights +[0-9.]+ MiB\n"));
  EXPECT_THAT(result.out, ContainsRegex("working memory +[0-9.]+ MiB a thread"));
}

TEST(InfoCommand, shows_what_was_decided_for_the_task) {
  const auto facts = [](const std::string& directory) {
    const ProcessResult result =
        run_headway({"info", "--model", HEADWAY_SOURCE_DIR "/tests/golden/" + directory});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string dense = facts("pipelines/dense");
  EXPECT_THAT(dense, ContainsRegex("pooling +mean \\+ cls \\(from "));
  EXPECT_THAT(dense, HasSubstr("document (empty), empty (empty), query; query by default (from "
                               "config_sentence_transformers.json)\n"));
  const std::string classifier = facts("tasks/classifier");
  EXPECT_THAT(classifier, HasSubstr("bad, good, neither (from config.json: id2label)\n"));
  EXPECT_THAT(classifier, ContainsRegex("activation +softmax \\(from "));
  EXPECT_THAT(classifier, testing::Not(HasSubstr("pooling")));
  EXPECT_THAT(facts("tasks/reranker"), ContainsRegex("labels +LABEL_0 "));
  EXPECT_THAT(facts("tasks/reranker"), HasSubstr("headway rerank\n"));
  EXPECT_THAT(facts("multi_vector/bert"), HasSubstr("by their tokens: headway rerank\n"));
  EXPECT_THAT(facts("multi_vector/bert"), ContainsRegex("vectors +[0-9]+ numbers"));
  EXPECT_THAT(facts("multi_vector/bert"),
              ContainsRegex("longest query +[0-9]+ tokens, filled up to [0-9]+ \\(from "));
  const std::string masks = facts("tokens/roberta");
  EXPECT_THAT(masks,
              ContainsRegex("task +tokens for the gaps of texts: headway fill-mask; vectors"));
  EXPECT_THAT(masks, ContainsRegex("activation +softmax\n"));
  EXPECT_THAT(masks, testing::Not(ContainsRegex("vectors +[0-9]")));
  const std::string sparse = facts("tasks/sparse");
  EXPECT_THAT(sparse, ContainsRegex("task +sparse vectors of texts"));
  EXPECT_THAT(sparse, ContainsRegex("activation +relu \\(from 1_SpladePooling/config.json\\)\n"));
}

TEST(InfoCommand, shows_the_labels_of_tokens) {
  const TempDir dir;
  dir.copy(HEADWAY_SOURCE_DIR "/tests/golden/tokens/bert");
  dir.replace("config.json", "BertForMaskedLM", "BertForTokenClassification");
  const ProcessResult result = run_headway({"info", "--model", dir.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("task +entities in texts: headway tag\n"));
  EXPECT_THAT(result.out,
              ContainsRegex("labels +O, B-PER, I-PER, B-LOC, I-LOC \\(from config.json: id2label"));
}

TEST(InfoCommand, refuses_what_is_no_model) {
  const TempDir dir;
  const ProcessResult result = run_headway({"info", "--model", dir.path()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(dir.path()));
  EXPECT_EQ(result.out, "");
}

TEST(InfoCommand, says_when_it_cannot_print) {
  RunningProcess process({"info"});
  process.close_output();
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace headway::cli
