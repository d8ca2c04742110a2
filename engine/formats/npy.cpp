// Reads .npy files strictly, and writes their header.
#include "engine/formats/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/message.hpp"
#include "engine/formats/extents.hpp"
#include "engine/formats/json_writer.hpp"
#include "engine/platform/file.hpp"

namespace headway {
namespace {

static_assert(std::endian::native == std::endian::little, "data is read and written as it is");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;

struct NpyType {
  std::string_view descr;  // as the header has it
  DType type;
};
constexpr NpyType kTypes[] = {
    {"<f4", DType::f32}, {"<f8", DType::f64}, {"<i4", DType::i32}, {"<i8", DType::i64}};

struct Header {
  std::string_view descr;
  bool fortran_order;
  std::vector<int64_t> shape;
};

// The header is a Python dictionary with three keys in any order. This reads just the literals that
// they can have, and nothing else that Python would.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  Header parse() {
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<int64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = string();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        refuse(cat("the key ", json_escape(key), " is unknown or there twice"));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) refuse("something follows the closing brace");
    if (!descr || !fortran_order || !shape)
      refuse("one of the keys descr, fortran_order and shape is missing");
    return {*descr, *fortran_order, *std::move(shape)};
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    fail(ErrorCode::format, path_, ": damaged .npy header: ", problem);
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c))
      refuse(cat("expected ", c, ", found ",
                 rest_.empty() ? "the end" : json_escape(rest_.substr(0, 16))));
  }

  std::string_view string() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"')
      refuse(cat("expected a string, found ",
                 rest_.empty() ? "the end" : json_escape(rest_.substr(0, 16))));
    rest_.remove_prefix(1);
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) refuse("a string is never closed");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true},
                                      std::pair<std::string_view, bool>{"False", false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse("fortran_order is neither True nor False");
  }

  // "()", "(3,)", "(3, 4)"; a one without a comma, "(3)", is a number to Python and refused.
  std::vector<int64_t> tuple() {
    std::vector<int64_t> extents;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) expect(',');
      extents.push_back(extent());
      comma = accept(',');
    }
    if (extents.size() == 1 && !comma) refuse("shape is no tuple");
    return extents;
  }

  int64_t extent() {
    skip_blanks();
    int64_t value;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0)
      refuse(cat("expected an extent of the shape, found ", json_escape(rest_.substr(0, 24))));
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
  const std::string& path_;
};

// Takes `count` bytes off the front of `bytes`.
std::string_view take(std::string_view& bytes, size_t count, const std::string& path) {
  if (bytes.size() < count)
    fail(ErrorCode::format, path, ": cut off inside the .npy header, ", count - bytes.size(),
         " bytes are missing");
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

size_t little_endian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The header's text; what stays in `bytes` is the data.
std::string_view take_header(std::string_view& bytes, const std::string& path) {
  if (!bytes.starts_with(kMagic)) fail(ErrorCode::format, path, ": is no .npy file");
  take(bytes, kMagic.size(), path);
  const std::string_view version = take(bytes, 2, path);
  const int major = static_cast<unsigned char>(version[0]);
  const int minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0)
    fail(ErrorCode::unsupported, path, ": .npy format ", major, ".", minor,
         ", expected 1.0, 2.0 or 3.0");
  const size_t length = little_endian(take(bytes, major == 1 ? 2 : 4, path));
  return take(bytes, length, path);
}

DType type_of(std::string_view descr, const std::string& path) {
  for (const NpyType& known : kTypes)
    if (descr == known.descr) return known.type;
  fail(ErrorCode::unsupported, path, ": element type ", json_escape(descr.substr(0, 64)),
       ", expected <f4, <f8, <i4 or <i8");
}

template <typename T>
void convert(std::string_view data, std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    T value;  // the data may be unaligned
    std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<float>(value);
  }
}

}  // namespace

NpyArray parse_npy(std::string_view bytes, const std::string& path) {
  const Header header = HeaderParser(take_header(bytes, path), path).parse();
  const DType type = type_of(header.descr, path);
  if (header.fortran_order && header.shape.size() > 1)
    fail(ErrorCode::unsupported, path,
         ": the array is in Fortran order, expected C order (numpy.ascontiguousarray)");
  if (header.shape.size() > Shape::kMaxRank)
    fail(ErrorCode::unsupported, path, ": ", header.shape.size(), " dimensions, at most ",
         Shape::kMaxRank, " are supported");

  NpyArray array;
  array.shape = Shape(header.shape);
  const auto elements = count_elements(header.shape);
  size_t expected = 0;
  if (!elements || __builtin_mul_overflow(static_cast<size_t>(*elements), size_of(type), &expected))
    fail(ErrorCode::format, path, ": ", array.shape.to_string(), " of ", header.descr,
         " is more than any file can hold");
  if (bytes.size() != expected)
    fail(ErrorCode::format, path, ": ", array.shape.to_string(), " of ", header.descr, " is ",
         expected, " bytes, the file has ", bytes.size(), " after its header");
  array.values.resize(static_cast<size_t>(*elements));
  switch (type) {
    case DType::f64:
      convert<double>(bytes, array.values);
      break;
    case DType::i32:
      convert<int32_t>(bytes, array.values);
      break;
    case DType::i64:
      convert<int64_t>(bytes, array.values);
      break;
    default:
      convert<float>(bytes, array.values);
  }
  return array;
}

NpyArray read_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  return parse_npy({reinterpret_cast<const char*>(file->bytes().data()), file->size()}, path);
}

std::string npy_header(DType type, const Shape& shape) {
  const auto known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const NpyType& candidate) { return candidate.type == type; });
  if (known == std::end(kTypes))
    fail(ErrorCode::invalid_argument, "a .npy file of ", to_string(type),
         " cannot be written, expected f32, f64, i32 or i64");
  std::string text = cat("{'descr': '", known->descr, "', 'fortran_order': False, 'shape': (");
  for (size_t axis = 0; axis < shape.rank(); ++axis) text += cat(axis > 0 ? ", " : "", shape[axis]);
  text += shape.rank() == 1 ? ",), }" : "), }";
  // As NumPy does it: room for the first extent to grow to 19 digits, then blanks and a newline up
  // to the alignment.
  constexpr size_t kMaxDigits = 19;
  const size_t room = shape.rank() > 0 ? kMaxDigits - std::to_string(shape[0]).size() : 0;
  const size_t preamble = kMagic.size() + 2 + 2;
  const size_t size =
      (preamble + text.size() + room + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(size - preamble - 1, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00'};
  header += {static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace headway
