// Validates safetensors headers before anything is read through them.
#include "engine/formats/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "engine/base/message.hpp"
#include "engine/formats/extents.hpp"
#include "engine/formats/json.hpp"
#include "engine/formats/json_writer.hpp"

namespace headway {
namespace {

static_assert(std::endian::native == std::endian::little, "data is used as it is in the file");

constexpr size_t kLengthBytes = 8;
constexpr size_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit

struct TypeInfo {
  std::string_view name;
  int64_t bits;
  std::optional<DType> dtype;
};
// All types of the reference implementation 0.8; those without a DType are counted, not computed
// with.
constexpr TypeInfo kTypes[] = {
    {"F64", 64, DType::f64},
    {"F32", 32, DType::f32},
    {"F16", 16, DType::f16},
    {"BF16", 16, DType::bf16},
    {"I64", 64, DType::i64},
    {"I32", 32, DType::i32},
    {"I16", 16, DType::i16},
    {"I8", 8, DType::i8},
    {"U8", 8, DType::u8},
    {"BOOL", 8, DType::boolean},
    {"U64", 64, std::nullopt},
    {"U32", 32, std::nullopt},
    {"U16", 16, std::nullopt},
    {"C64", 64, std::nullopt},
    {"F8_E5M2", 8, std::nullopt},
    {"F8_E4M3", 8, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
    {"F4", 4, std::nullopt},
};

class Parser {
 public:
  Parser(std::span<const std::byte> file, const std::string& path) : file_(file), path_(path) {}

  SafetensorsContent parse() {
    const std::string_view text = header();
    data_offset_ = kLengthBytes + text.size();
    const Json json = Json::parse(text, cat(path_, ": header"));
    SafetensorsContent content;
    for (JsonNode member : json.root().members()) {
      if (member.key() == "__metadata__") {
        for (JsonNode entry : member.members())
          content.metadata.emplace_back(entry.key(), entry.as_string());
      } else {
        content.tensors.push_back(entry(member));
      }
    }
    check_coverage(content.tensors);
    return content;
  }

 private:
  [[noreturn]] void refuse(std::string_view tensor, const std::string& problem) const {
    fail(ErrorCode::format, path_, ": tensor ", json_escape(tensor), ": ", problem);
  }

  size_t data_size() const { return file_.size() - data_offset_; }

  std::string_view header() const {
    if (file_.size() < kLengthBytes)
      fail(ErrorCode::format, path_, ": ", file_.size(),
           " bytes are no safetensors file, which begins with 8 bytes of length");
    uint64_t length = 0;
    for (size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<uint8_t>(file_[i]);
    if (length > kMaxHeaderBytes)
      fail(ErrorCode::format, path_, ": is no safetensors file: a header of ", length,
           " bytes, at most ", kMaxHeaderBytes, " are allowed");
    const size_t left = file_.size() - kLengthBytes;
    if (length > left)
      fail(ErrorCode::format, path_, ": cut off, or no safetensors file: a header of ", length,
           " bytes, ", left, " are there");
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + kLengthBytes,
                                static_cast<size_t>(length));
    // Blanks may pad the end; the start is fixed, so that the file's kind can be told from it.
    if (!text.starts_with('{'))
      fail(ErrorCode::format, path_, ": is no safetensors file: the header does not begin with {");
    return text;
  }

  SafetensorsEntry entry(JsonNode node) const {
    SafetensorsEntry entry;
    entry.name = node.key();
    const TypeInfo& type = type_of(node.at("dtype"));
    entry.type_name = type.name;
    entry.dtype = type.dtype;
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    for (JsonNode extent : node.at("shape").elements())
      entry.shape.push_back(extent.as_int64(0, kMax));
    const JsonNode offsets = node.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2)
      offsets.refuse("expected the offsets of begin and end");
    const auto begin = static_cast<size_t>(offsets[0].as_int64(0, kMax));
    const auto end = static_cast<size_t>(offsets[1].as_int64(0, kMax));
    if (begin > end)
      refuse(entry.name, cat("data_offsets [", begin, ", ", end, "] end before they begin"));
    if (end > data_size())
      refuse(entry.name, cat("data_offsets [", begin, ", ", end, "] go beyond the ", data_size(),
                             " bytes of data; is the file cut off?"));
    const std::optional<size_t> expected = bytes_of(entry, type.bits);
    if (!expected)
      refuse(entry.name,
             cat(described(entry), " is no whole number of bytes that a file can hold"));
    if (end - begin != *expected)
      refuse(entry.name, cat(described(entry), " is ", *expected, " bytes, data_offsets [", begin,
                             ", ", end, "] are ", end - begin));
    entry.offset = data_offset_ + begin;
    entry.bytes = file_.subspan(entry.offset, end - begin);
    return entry;
  }

  const TypeInfo& type_of(JsonNode node) const {
    const std::string_view name = node.as_string();
    for (const TypeInfo& type : kTypes)
      if (type.name == name) return type;
    fail(ErrorCode::unsupported, path_, ": header: field \"", node.path(), "\": unknown type ",
         json_escape(name.substr(0, 32)));
  }

  static std::optional<size_t> bytes_of(const SafetensorsEntry& entry, int64_t bits_each) {
    const std::optional<int64_t> elements = count_elements(entry.shape);
    int64_t bits;
    if (!elements || __builtin_mul_overflow(*elements, bits_each, &bits) || bits % 8 != 0)
      return std::nullopt;
    return static_cast<size_t>(bits / 8);
  }

  static std::string described(const SafetensorsEntry& entry) {
    constexpr size_t kShown = 16;  // of the extents: a file may claim thousands
    std::string text = entry.type_name + " [";
    for (size_t i = 0; i < std::min(entry.shape.size(), kShown); ++i)
      text += cat(i > 0 ? ", " : "", entry.shape[i]);
    return text + (entry.shape.size() > kShown ? ", ...]" : "]");
  }

  // One after the other, the tensors must fill the data.
  void check_coverage(const std::vector<SafetensorsEntry>& tensors) const {
    std::vector<const SafetensorsEntry*> order;
    for (const SafetensorsEntry& tensor : tensors) order.push_back(&tensor);
    // Empty tensors first: they lie at the begin of another.
    std::sort(order.begin(), order.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
      return std::pair(a->offset, a->bytes.size()) < std::pair(b->offset, b->bytes.size());
    });
    size_t expected = 0;
    for (const SafetensorsEntry* tensor : order) {
      const size_t begin = tensor->offset - data_offset_;
      if (begin != expected)
        refuse(tensor->name, cat("its data begins at ", begin, ", expected ", expected,
                                 begin > expected ? " (a hole)" : " (it overlaps another)"));
      expected += tensor->bytes.size();
    }
    if (expected != data_size())
      fail(ErrorCode::format, path_, ": the tensors end after ", expected,
           " bytes of data, the file has ", data_size());
  }

  std::span<const std::byte> file_;
  const std::string& path_;
  size_t data_offset_ = 0;
};

}  // namespace

SafetensorsContent parse_safetensors(std::span<const std::byte> file, const std::string& path) {
  return Parser(file, path).parse();
}

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  SafetensorsFile result;
  result.file_ = MappedFile::open(path);
  auto content =
      std::make_shared<SafetensorsContent>(parse_safetensors(result.file_->bytes(), path));
  auto by_name = std::make_shared<std::vector<uint32_t>>(content->tensors.size());
  std::iota(by_name->begin(), by_name->end(), 0u);
  std::sort(by_name->begin(), by_name->end(), [&](uint32_t a, uint32_t b) {
    return content->tensors[a].name < content->tensors[b].name;
  });
  result.content_ = std::move(content);
  result.by_name_ = std::move(by_name);
  return result;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto& tensors = content_->tensors;
  const auto it = std::lower_bound(
      by_name_->begin(), by_name_->end(), name,
      [&](uint32_t index, std::string_view wanted) { return tensors[index].name < wanted; });
  if (it == by_name_->end() || tensors[*it].name != name) return nullptr;
  return &tensors[*it];
}

}  // namespace headway
