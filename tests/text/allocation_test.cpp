// Encoding allocates nothing once vectors and workspace have grown, and keeps little.
#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "tests/text/small_tokenizer.hpp"

namespace {

thread_local size_t allocations = 0;
thread_local int64_t held = 0, most_held = 0;  // bytes

void* counted(size_t size) {
  ++allocations;
  void* const memory = std::malloc(size);
  held += static_cast<int64_t>(malloc_usable_size(memory));
  most_held = std::max(most_held, held);
  return memory;
}
void release(void* memory) {
  held -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
void* counted_or_throw(size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Every form but the aligned ones, so that a sanitizer's own never meet these.
void* operator new(size_t size) {
  return counted_or_throw(size);
}
void* operator new[](size_t size) {
  return counted_or_throw(size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}

namespace headway {
namespace {

TEST(Allocation, NoneFromTheSecondTextOn) {
  SmallJson json;
  json.post_processor = R"({"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",3]})";
  const Tokenizer plain = open_small(json);
  json.added_tokens = R"([{"id":4,"content":"[MASK]","special":true,"lstrip":true},)"
                      R"({"id":19,"content":"B\u00e9","normalized":true}])";
  const std::string text =
      "Hello, un\u00e1ffable a\U0001d16d\U0001d165\u0323 b\u00e9 [MASK] \u4e2d \x80 " +
      std::string(200, 'a');
  std::vector<Tokenizer> tokenizers = {plain, open_small(json)};
  for (const char* name : kTrainedModels) tokenizers.push_back(open_trained(name));
  for (const Tokenizer& tokenizer : tokenizers) {
    std::vector<int32_t> ids;
    tokenizer.encode_append(text, {}, ids);
    EXPECT_GT(ids.size(), 10u);
    const size_t before = allocations;
    for (const size_t limit : {EncodeOptions::kNoLimit, size_t{5}}) {
      ids.clear();
      tokenizer.encode_append(text, {.max_length = limit}, ids);
    }
    EXPECT_EQ(allocations, before);
    std::vector<int32_t> types;
    tokenizer.encode_pair_append(text, text, {}, ids, types);
    ids.clear();
    types.clear();
    const size_t before_pair = allocations;
    tokenizer.encode_pair_append(text, text, {}, ids, types);
    EXPECT_EQ(allocations, before_pair);
    // The control: a vector that has to grow is counted.
    std::vector<int32_t> fresh;
    tokenizer.encode_append(text, {}, fresh);
    EXPECT_GT(allocations, before);
  }
}

// Else a server would hold many times the longest text that ever came, on each of its threads.
TEST(Allocation, WhatALongTextNeedsIsGivenBack) {
  SmallJson json;
  json.post_processor = "null";
  std::vector<Tokenizer> tokenizers = {open_small(json)};
  for (const char* name : kTrainedModels) tokenizers.push_back(open_trained(name));
  std::string text;
  while (text.size() < 1'200'000) text += "hello \u00e9 ";
  const std::string word(1'200'000, 'a');
  for (const Tokenizer& tokenizer : tokenizers) {
    tokenizer.encode("hello");
    const int64_t before = most_held = held;
    tokenizer.encode(text, {.max_length = 1000});
    tokenizer.encode(word, {.offsets = true});
    tokenizer.encode_pair(text, word);
    EXPECT_LT(held - before, 1 << 20);
    EXPECT_GT(most_held - before, 1'200'000);  // the control
  }
}

}  // namespace
}  // namespace headway
