// .npy files: what NumPy writes is read, everything else is refused.
#include "engine/formats/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A file with any header text and version, without padding: headers need not be aligned to be read.
std::string npy(const std::string& header, const std::string& data, int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  return file + header + data;
}

std::string header_of(const std::string& descr, const std::string& order,
                      const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

class Npy : public testing::Test {
 protected:
  NpyArray read(const std::string& bytes) { return parse_npy(bytes, "x.npy"); }
  void refused(const std::string& bytes, ErrorCode code, const std::string& message) {
    expect_error(code, "x.npy: " + message, [&] { read(bytes); });
  }
  void damaged(const std::string& header, const std::string& message) {
    SCOPED_TRACE(header);
    refused(npy(header, ""), ErrorCode::format, "damaged .npy header: " + message);
  }
};

// numpy.save of numpy.arange(6, dtype="<f4").reshape(2, 3), NumPy 2.4.6, byte for byte.
const std::string kNumpyFile = std::string("\x93NUMPY\x01\x00v\x00", 10) +
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                               std::string(58, ' ') + "\n" + raw<float>({0, 1, 2, 3, 4, 5});

TEST_F(Npy, ReadsWhatNumpyWrites) {
  const NpyArray array = read(kNumpyFile);
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_EQ(array.values, (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST_F(Npy, ReadsFiles) {
  const TempDir dir;
  EXPECT_EQ(read_npy(dir.write("x.npy", kNumpyFile)).values.size(), 6u);
  expect_error(ErrorCode::not_found, "cannot open \"" + dir.path("none.npy") + "\"",
               [&] { read_npy(dir.path("none.npy")); });
  expect_error(ErrorCode::io, "it is a directory", [&] { read_npy(dir.path()); });
  expect_error(ErrorCode::format, dir.path("empty.npy") + ": is no .npy file",
               [&] { read_npy(dir.write("empty.npy", "")); });
}

TEST_F(Npy, ReadsEveryVersion) {
  const std::string header = header_of("<f4", "False", "(2,)");
  for (int major : {1, 2, 3})
    EXPECT_EQ(read(npy(header, raw<float>({1.5, -2}), major)).values,
              (std::vector<float>{1.5, -2}));
}

TEST_F(Npy, ConvertsDoublesAndIntegers) {
  EXPECT_EQ(read(npy(header_of("<f8", "False", "(3,)"), raw<double>({0.1, 1e300, -0.0}))).values,
            (std::vector<float>{0.1f, INFINITY, -0.0f}));
  EXPECT_EQ(read(npy(header_of("<i4", "False", "(2,)"), raw<int32_t>({-7, 16777217}))).values,
            (std::vector<float>{-7, 16777216}));
  EXPECT_EQ(
      read(npy(header_of("<i8", "False", "(2,)"), raw<int64_t>({-7, int64_t{1} << 40}))).values,
      (std::vector<float>{-7, 1099511627776.0f}));
}

TEST_F(Npy, KeepsEveryBitOfFloats) {
  std::vector<float> values{NAN, -INFINITY, -0.0f, std::numeric_limits<float>::denorm_min()};
  const NpyArray array = read(npy(header_of("<f4", "False", "(4,)"), raw(values)));
  EXPECT_EQ(std::memcmp(array.values.data(), values.data(), 16), 0);
}

TEST_F(Npy, ReadsAnyFormOfTheHeader) {
  const std::string data = raw<float>({1, 2, 3, 4});
  for (const char* header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}",
        "{\"shape\":(2,2,),\"fortran_order\":False,\"descr\":\"<f4\"}   \n",
        " { 'shape' : ( 2 , 2 ) , 'descr' : '<f4' , 'fortran_order' : False , } "}) {
    const NpyArray array = read(npy(header, data));
    EXPECT_EQ(array.shape, (Shape{2, 2})) << header;
    EXPECT_EQ(array.values[3], 4.0f);
  }
}

TEST_F(Npy, ScalarsAndEmptyArrays) {
  const NpyArray scalar = read(npy(header_of("<f4", "False", "()"), raw<float>({5})));
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(scalar.values, std::vector<float>{5});
  const NpyArray empty = read(npy(header_of("<f4", "False", "(0, 384)"), ""));
  EXPECT_EQ(empty.shape, (Shape{0, 384}));
  EXPECT_TRUE(empty.values.empty());
  // Zero whatever the other extents are.
  EXPECT_TRUE(
      read(npy(header_of("<f4", "False", "(4611686018427387904, 4, 0)"), "")).values.empty());
}

TEST_F(Npy, RefusesFortranOrderByName) {
  const std::string data = raw<float>({1, 2, 3, 4});
  refused(npy(header_of("<f4", "True", "(2, 2)"), data), ErrorCode::unsupported,
          "the array is in Fortran order, expected C order");
  EXPECT_EQ(read(npy(header_of("<f4", "True", "(4,)"), data)).values.size(), 4u);
}

TEST_F(Npy, RefusesOtherTypes) {
  for (const char* descr : {"<f2", ">f4", "|u1", "|b1", "<c8", "f4", "|O", "", "<U5"})
    refused(npy(header_of(descr, "False", "(1,)"), "xxxx"), ErrorCode::unsupported,
            "element type \"" + std::string(descr) + "\", expected <f4, <f8, <i4 or <i8");
  damaged("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
          "expected a string, found \"[('a', '<f4')], \"");
}

TEST_F(Npy, RefusesOtherFiles) {
  refused("", ErrorCode::format, "is no .npy file");
  refused("PK\x03\x04", ErrorCode::format, "is no .npy file");
  refused(std::string("\x93NUMPX\x01\x00", 8), ErrorCode::format, "is no .npy file");
  for (const char* version : {"\x00\x00", "\x04\x00", "\x01\x01", "\xff\xff"})
    refused("\x93NUMPY" + std::string(version, 2) + std::string(4, '\0'), ErrorCode::unsupported,
            ".npy format ");
  refused(npy("", ""), ErrorCode::format, "damaged .npy header: expected {, found the end");
  refused(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), ErrorCode::format,
          "cut off inside the .npy header, 4294967294 bytes are missing");
}

TEST_F(Npy, RefusesDamagedHeaders) {
  const std::string rest = ", 'fortran_order': False, 'shape': (1,)}";
  damaged("[]", "expected {, found \"[]\"");
  damaged("{}", "one of the keys descr, fortran_order and shape is missing");
  damaged("{'descr': '<f4'}", "one of the keys descr, fortran_order and shape is missing");
  damaged("{'descr': '<f4', 'descr': '<f4'" + rest, "the key \"descr\" is unknown or there twice");
  damaged("{'type': '<f4'" + rest, "the key \"type\" is unknown or there twice");
  damaged("{'descr': '<f4'" + rest + "}", "something follows the closing brace");
  damaged("{'descr': '<f4", "a string is never closed");
  damaged("{'descr': ", "expected a string, found the end");
  damaged("{'descr' '<f4'" + rest, "expected :, found \"'<f4', 'fortran_\"");
  damaged("{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "expected }, found");
  const std::string start = "{'descr': '<f4', 'fortran_order': ";
  damaged(start + "0, 'shape': (1,)}", "fortran_order is neither True nor False");
  damaged(start + "False, 'shape': 1}", "expected (, found \"1}\"");
  damaged(start + "False, 'shape': (1)}", "shape is no tuple");
  damaged(start + "False, 'shape': (1 2)}", "expected ,, found \"2)}\"");
  for (const char* extent : {"-1", "+1", "x", "99999999999999999999", ",", "", "1.5", "'1'"})
    EXPECT_THROW(read(npy(start + "False, 'shape': (" + extent + ", 2)}", "")), Error) << extent;
  damaged(start + "False, 'shape': (2, -1)}", "expected an extent of the shape, found \"-1)}\"");
}

TEST_F(Npy, RefusesSizesThatDoNotFit) {
  const auto header = [](const char* shape) { return header_of("<f4", "False", shape); };
  refused(npy(header("(2, 3)"), std::string(23, 'x')), ErrorCode::format,
          "[2, 3] of <f4 is 24 bytes, the file has 23 after its header");
  refused(npy(header("(2, 3)"), std::string(25, 'x')), ErrorCode::format,
          "[2, 3] of <f4 is 24 bytes, the file has 25 after its header");
  refused(npy(header("(4294967296, 4294967296)"), "x"), ErrorCode::format,
          "[4294967296, 4294967296] of <f4 is more than any file can hold");
  refused(npy(header("(9223372036854775807,)"), "x"), ErrorCode::format,
          "[9223372036854775807] of <f4 is more than any file can hold");
  refused(npy(header("(2305843009213693952,)"), "x"), ErrorCode::format,
          "[2305843009213693952] of <f4 is 9223372036854775808 bytes, the file has 1");
  refused(npy(header("(1,1,1,1,1,1,1,1,1)"), "xxxx"), ErrorCode::unsupported,
          "9 dimensions, at most 8 are supported");
}

TEST_F(Npy, HeaderReadsBack) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{1, 2, 3, 1}}) {
    std::vector<float> values(static_cast<size_t>(shape.elements()), 1.5f);
    const NpyArray array = read(npy_header(DType::f32, shape) + raw(values));
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, values);
  }
  EXPECT_EQ(read(npy_header(DType::i64, {2}) + raw<int64_t>({4, 5})).values,
            (std::vector<float>{4, 5}));
}

TEST_F(Npy, HeaderIsWrittenAsNumpyWritesIt) {
  const std::string header = npy_header(DType::f32, {6, 384});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00v\x00", 10));
  EXPECT_EQ(header.find("{'descr': '<f4', 'fortran_order': False, 'shape': (6, 384), }"), 10u);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(npy_header(DType::f32, {7}).find("'shape': (7,), }"), std::string::npos);
  expect_error(ErrorCode::invalid_argument, "a .npy file of bf16 cannot be written",
               [] { npy_header(DType::bf16, {1}); });
}

TEST_F(Npy, HeaderSizeDoesNotDependOnTheRows) {
  for (int64_t dim : {1, 384, 123456}) {
    const size_t size = npy_header(DType::f32, {0, dim}).size();
    for (int64_t rows = 1; rows > 0 && rows < (int64_t{1} << 59); rows *= 10)
      EXPECT_EQ(npy_header(DType::f32, {rows, dim}).size(), size);
    EXPECT_EQ(npy_header(DType::f32, {std::numeric_limits<int64_t>::max(), dim}).size(), size);
  }
}

TEST_F(Npy, EveryCutIsRefused) {
  for (size_t length = 0; length < kNumpyFile.size(); ++length)
    EXPECT_THROW(read(kNumpyFile.substr(0, length)), Error) << length;
}

TEST_F(Npy, RandomDamageIsReadOrRefused) {
  std::mt19937 random(20240608);
  const std::string small =
      npy(header_of("<f4", "False", "(2, 3)"), raw<float>({0, 1, 2, 3, 4, 5}));
  constexpr std::string_view kBytes = "{}()[]'\",:0123456789TrueFalsn<>f48i \n";
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = small;
    for (unsigned changes = 1 + random() % 2; changes > 0; --changes) {
      const size_t at = random() % bytes.size();
      if (random() % 2)
        bytes[at] = kBytes[random() % kBytes.size()];
      else
        bytes[at] = static_cast<char>(random());
    }
    try {
      const NpyArray array = read(bytes);
      EXPECT_EQ(array.values.size(), static_cast<size_t>(array.shape.elements()));
      ++accepted;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 2000u);   // damage to the data goes unseen
  EXPECT_LT(accepted, 18000u);  // damage to the header does not
}

}  // namespace
}  // namespace headway
