// safetensors files: valid ones are read in place, each rule has a file that breaks it.
#include "engine/formats/safetensors.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

std::string with_length(uint64_t length, const std::string& rest) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(length >> (8 * i));
  return file + rest;
}

std::string file_of(const std::string& header, const std::string& data = "") {
  return with_length(header.size(), header + data);
}

// One tensor "x".
std::string header_of(const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
  return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

SafetensorsContent parse(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file)), "m.safetensors");
}

void refused(const std::string& file, const std::string& message,
             ErrorCode code = ErrorCode::format) {
  SCOPED_TRACE(file.substr(std::min<size_t>(8, file.size()), 200));
  expect_error(code, message, [&] { parse(file); });
  expect_error(code, "m.safetensors: ", [&] { parse(file); });
}

std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string raw(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Header order is not data order; an empty tensor and a scalar; blanks at the end as padding.
const std::string kValidHeader =
    R"({"__metadata__":{"format":"pt","note":"h\u00e9"},)"
    R"("b":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]},)"
    R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
    R"("none":{"dtype":"F16","shape":[3,0,5],"data_offsets":[12,12]},)"
    R"("half":{"dtype":"BF16","shape":[1],"data_offsets":[12,14]}}   )";
const std::string kValid = file_of(kValidHeader, raw({1, 2, 3}) + "\x80\x3f");

TEST(Safetensors, ReadsTensorsAndMetadata) {
  const SafetensorsContent content = parse(kValid);
  ASSERT_EQ(content.tensors.size(), 4u);
  const SafetensorsEntry& b = content.tensors[0];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.type_name, "F32");
  EXPECT_EQ(b.dtype, DType::f32);
  EXPECT_EQ(b.shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(b.offset, 8 + kValidHeader.size() + 4);
  EXPECT_EQ(floats_of(b.bytes), (std::vector<float>{2, 3}));
  EXPECT_EQ(content.tensors[1].name, "a");
  EXPECT_TRUE(content.tensors[1].shape.empty());
  EXPECT_EQ(floats_of(content.tensors[1].bytes), std::vector<float>{1});
  EXPECT_EQ(content.tensors[2].name, "none");
  EXPECT_TRUE(content.tensors[2].bytes.empty());
  EXPECT_EQ(content.tensors[3].dtype, DType::bf16);
  EXPECT_EQ(content.metadata, (std::vector<std::pair<std::string, std::string>>{
                                  {"format", "pt"}, {"note", "h\u00e9"}}));
}

TEST(Safetensors, OpensFiles) {
  const TempDir dir;
  const std::string path = dir.write("m.safetensors", kValid);
  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_EQ(file.path(), path);
  EXPECT_EQ(file.tensors().size(), 4u);
  EXPECT_EQ(file.metadata().size(), 2u);
  for (const SafetensorsEntry& tensor : file.tensors()) EXPECT_EQ(file.find(tensor.name), &tensor);
  EXPECT_TRUE(file.contains("a"));
  for (const char* missing : {"", "A", "aa", "__metadata__", "nonee", "zz"})
    EXPECT_FALSE(file.contains(missing)) << missing;
  const SafetensorsEntry& b = *file.find("b");
  EXPECT_EQ(b.bytes.data(), file.file()->bytes().data() + b.offset);
  expect_error(ErrorCode::not_found, "cannot open",
               [&] { SafetensorsFile::open(dir.path("none.safetensors")); });
  expect_error(ErrorCode::io, "it is a directory", [&] { SafetensorsFile::open(dir.path()); });
  expect_error(ErrorCode::format, dir.path("empty") + ": 0 bytes are no safetensors file",
               [&] { SafetensorsFile::open(dir.write("empty", "")); });
}

TEST(Safetensors, MappingOutlivesTheObject) {
  const TempDir dir;
  std::shared_ptr<const MappedFile> mapping;
  std::span<const std::byte> bytes;
  {
    const SafetensorsFile file = SafetensorsFile::open(dir.write("m.safetensors", kValid));
    mapping = file.file();
    bytes = file.find("b")->bytes;
  }
  EXPECT_EQ(floats_of(bytes), (std::vector<float>{2, 3}));
}

TEST(Safetensors, TensorsMayLieAtAnyAlignment) {
  for (size_t blanks = 0; blanks < 8; ++blanks) {
    const std::string header = header_of("F32", "[2]", "[0,8]") + std::string(blanks, ' ');
    const std::string file = file_of(header, raw({1.25f, -3}));
    EXPECT_EQ(floats_of(parse(file).tensors[0].bytes), (std::vector<float>{1.25f, -3}));
  }
}

TEST(Safetensors, CountsEveryType) {
  const auto bytes_of = [](const std::string& dtype, size_t elements, size_t bytes) {
    const std::string header =
        header_of(dtype, "[" + std::to_string(elements) + "]", "[0," + std::to_string(bytes) + "]");
    const SafetensorsContent content = parse(file_of(header, std::string(bytes, 'x')));
    EXPECT_EQ(content.tensors[0].type_name, dtype);
    return content.tensors[0].dtype;
  };
  const std::vector<std::pair<std::string, DType>> known{
      {"F64", DType::f64}, {"F32", DType::f32},     {"F16", DType::f16}, {"BF16", DType::bf16},
      {"I64", DType::i64}, {"I32", DType::i32},     {"I16", DType::i16}, {"I8", DType::i8},
      {"U8", DType::u8},   {"BOOL", DType::boolean}};
  for (const auto& [name, dtype] : known) EXPECT_EQ(bytes_of(name, 3, 3 * size_of(dtype)), dtype);
  for (const auto& [name, bits] : std::vector<std::pair<std::string, size_t>>{{"U64", 64},
                                                                              {"U32", 32},
                                                                              {"U16", 16},
                                                                              {"C64", 64},
                                                                              {"F8_E5M2", 8},
                                                                              {"F8_E4M3", 8},
                                                                              {"F8_E8M0", 8},
                                                                              {"F8_E5M2FNUZ", 8},
                                                                              {"F8_E4M3FNUZ", 8},
                                                                              {"F6_E2M3", 6},
                                                                              {"F6_E3M2", 6},
                                                                              {"F4", 4}})
    EXPECT_EQ(bytes_of(name, 8, bits), std::nullopt) << name;
  refused(file_of(header_of("F4", "[3]", "[0,2]"), "xx"),
          "tensor \"x\": F4 [3] is no whole number of bytes");
  for (const char* name : {"F31", "f32", "", "F32 "})
    refused(file_of(header_of(name, "[1]", "[0,4]"), "xxxx"),
            "header: field \"x.dtype\": unknown type \"" + std::string(name) + "\"",
            ErrorCode::unsupported);
}

TEST(Safetensors, ChecksTheHeadersLength) {
  refused("", "0 bytes are no safetensors file, which begins with 8 bytes of length");
  refused("1234567", "7 bytes are no safetensors file");
  refused(with_length(3, "{}"),
          "cut off, or no safetensors file: a header of 3 bytes, 2 are there");
  refused(with_length(100'000'001, "{}"),
          "is no safetensors file: a header of 100000001 bytes, at most 100000000 are allowed");
  refused(with_length(100'000'000, "{}"), "cut off, or no safetensors file");
  refused(with_length(~uint64_t{0}, "{}"), "a header of 18446744073709551615 bytes");
  refused(with_length(~uint64_t{0} - 7, "{}"), "a header of 18446744073709551608 bytes");
  refused(with_length(0, ""), "is no safetensors file: the header does not begin with {");
  refused(file_of(" {}"), "the header does not begin with {");
  refused(file_of("\xEF\xBB\xBF{}"), "the header does not begin with {");
  EXPECT_TRUE(parse(file_of("{}")).tensors.empty());
}

TEST(Safetensors, ChecksTheJson) {
  refused(file_of("{"), "header: cannot be read as JSON");
  refused(file_of("{}x"), "header: cannot be read as JSON");
  refused(file_of("{}" + std::string(1, '\0')), "header: cannot be read as JSON");
  refused(file_of("{\"\xff\":1}"), "header: cannot be read as JSON: it is not valid UTF-8");
  refused(file_of(R"({"x":)" + std::string(100, '[') + "}"), "nested deeper than 64 levels");
  refused(file_of(R"({"x":1})"), "header: field \"x\": expected an object, found 1");
  refused(file_of(R"({"x":{}})"), "header: field \"x.dtype\" is missing");
  refused(file_of(R"({"x":{"dtype":1}})"), "header: field \"x.dtype\": expected a string, found 1");
  refused(file_of(R"({"x":{"dtype":"F32"}})"), "header: field \"x.shape\" is missing");
  refused(file_of(R"({"x":{"dtype":"F32","shape":[]}})"),
          "header: field \"x.data_offsets\" is missing");
  const std::string entry = header_of("F32", "[]", "[0,4]").substr(1);
  refused(file_of("{" + entry.substr(0, entry.size() - 1) + "," + entry, "xxxx"),
          "header: field \"x\" appears twice");
}

TEST(Safetensors, ChecksTheMetadata) {
  EXPECT_TRUE(parse(file_of(R"({"__metadata__":{}})")).metadata.empty());
  refused(file_of(R"({"__metadata__":{"a":1}})"),
          "header: field \"__metadata__.a\": expected a string, found 1");
  refused(file_of(R"({"__metadata__":[]})"),
          "header: field \"__metadata__\": expected an object, found an array");
}

TEST(Safetensors, ChecksTheShape) {
  refused(file_of(header_of("F32", "4", "[0,4]"), "xxxx"),
          "header: field \"x.shape\": expected an array, found 4");
  refused(
      file_of(header_of("F32", "[-1]", "[0,4]"), "xxxx"),
      "header: field \"x.shape[0]\": expected an integer from 0 to 9223372036854775807, found -1");
  refused(file_of(header_of("F32", "[1,1.0]", "[0,4]"), "xxxx"),
          "header: field \"x.shape[1]\": expected an integer, found 1");
  refused(file_of(header_of("F32", "[NaN]", "[0,4]"), "xxxx"), "header: line 1: NaN where a value");
  refused(file_of(header_of("F32", "[9223372036854775808]", "[0,4]"), "xxxx"),
          "header: field \"x.shape[0]\": expected an integer of 64 bits");
  for (const char* shape : {"[9223372036854775807]", "[4294967296,4294967296]",
                            "[4294967296,4294967296,4294967296,4294967296]",
                            "[2305843009213693952]", "[3,6148914691236517205]"})
    refused(file_of(header_of("F32", shape, "[0,4]"), "xxxx"), "tensor \"x\": F32 [");
  // 2^62 elements of 4 bytes wrap to 0 in 64 bits.
  refused(file_of(header_of("F32", "[4611686018427387904]", "[0,0]")),
          "F32 [4611686018427387904] is no whole number of bytes that a file can hold");
  refused(file_of(header_of("F32", "[2,3]", "[0,20]"), std::string(20, 'x')),
          "tensor \"x\": F32 [2, 3] is 24 bytes, data_offsets [0, 20] are 20");
  std::string ones = "[1";
  for (int i = 0; i < 40; ++i) ones += ",1";
  refused(file_of(header_of("F32", ones + "]", "[0,3]"), "xxx"), "1, 1, ...] is 4 bytes");
  EXPECT_EQ(parse(file_of(header_of("F32", ones + "]", "[0,4]"), "xxxx")).tensors[0].shape.size(),
            41u);
}

TEST(Safetensors, ChecksTheOffsets) {
  for (const char* offsets : {"[0]", "[0,4,8]", "[]", "4", "{}"})
    refused(file_of(header_of("F32", "[1]", offsets), "xxxx"),
            "header: field \"x.data_offsets\": expected the offsets of begin and end");
  refused(file_of(header_of("F32", "[1]", "[-4,0]"), "xxxx"),
          "header: field \"x.data_offsets[0]\": expected an integer from 0 to");
  refused(file_of(header_of("F32", "[1]", "[4,0]"), "xxxx"),
          "tensor \"x\": data_offsets [4, 0] end before they begin");
  refused(file_of(header_of("F32", "[1]", "[0,4]"), "xxx"),
          "tensor \"x\": data_offsets [0, 4] go beyond the 3 bytes of data; is the file cut off?");
  refused(file_of(header_of("F32", "[1]", "[9223372036854775803,9223372036854775807]"), "xxxx"),
          "go beyond the 4 bytes of data");
  refused(file_of(header_of("F32", "[1]", "[0,4]"), "xxxxx"),
          "the tensors end after 4 bytes of data, the file has 5");
  refused(file_of("{}", "x"), "the tensors end after 0 bytes of data, the file has 1");
}

TEST(Safetensors, RefusesHolesAndOverlaps) {
  const auto two = [](const char* a, const char* b, size_t bytes) {
    return file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":)" + std::string(a) +
                       R"(},"b":{"dtype":"I8","shape":[4],"data_offsets":)" + b + "}}",
                   std::string(bytes, 'x'));
  };
  EXPECT_EQ(parse(two("[4,8]", "[0,4]", 8)).tensors.size(), 2u);
  refused(two("[0,4]", "[5,9]", 9), "tensor \"b\": its data begins at 5, expected 4 (a hole)");
  refused(two("[1,5]", "[5,9]", 9), "tensor \"a\": its data begins at 1, expected 0 (a hole)");
  refused(two("[0,4]", "[3,7]", 7),
          "tensor \"b\": its data begins at 3, expected 4 (it overlaps another)");
  refused(two("[0,4]", "[0,4]", 4), "its data begins at 0, expected 4 (it overlaps another)");
  // An empty tensor inside another is an overlap too.
  refused(file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                  R"("e":{"dtype":"I8","shape":[0],"data_offsets":[2,2]}})",
                  "xxxx"),
          "tensor \"e\": its data begins at 2, expected 4 (it overlaps another)");
}

TEST(Safetensors, MessagesEscapeNames) {
  refused(file_of(R"({"\u001b[2J":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}})", "xx"),
          R"(tensor "\u001b[2J": its data begins at 1)");
}

TEST(Safetensors, EveryCutIsRefused) {
  for (size_t length = 0; length < kValid.size(); ++length) {
    SCOPED_TRACE(length);
    // A copy of just these bytes, so that a sanitizer sees a read beyond them.
    const std::vector<char> cut(kValid.begin(), kValid.begin() + length);
    EXPECT_THROW(parse_safetensors(std::as_bytes(std::span(cut)), "m.safetensors"), Error);
  }
}

TEST(Safetensors, RandomDamageIsReadOrRefused) {
  std::mt19937 random(20240609);
  constexpr std::string_view kBytes = "{}[]\",:0123456789-FIBU8_ .eE\\";
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string file = kValid;
    for (unsigned changes = 1 + random() % 2; changes > 0; --changes) {
      const size_t at = random() % file.size();
      switch (random() % 4) {
        case 0:
          file[at] = static_cast<char>(random());
          break;
        case 1:
          file.erase(at, 1);
          file.insert(random() % file.size(), 1, kBytes[random() % kBytes.size()]);
          break;
        default:
          file[at] = kBytes[random() % kBytes.size()];
      }
    }
    const std::vector<char> bytes(file.begin(), file.end());
    try {
      size_t total = 0;
      for (const SafetensorsEntry& tensor :
           parse_safetensors(std::as_bytes(std::span(bytes)), "m.safetensors").tensors) {
        total += tensor.bytes.size();
        const std::vector<std::byte> copy(tensor.bytes.begin(), tensor.bytes.end());
      }
      EXPECT_LE(total, bytes.size());
      ++accepted;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 500u);  // names, metadata and data may change
  EXPECT_LT(accepted, 15000u);
}

}  // namespace
}  // namespace headway
