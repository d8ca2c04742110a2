// Lines to tokens.
#include "engine/text/vocab_txt.hpp"

#include "engine/base/message.hpp"
#include "engine/platform/file.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// The largest published WordPiece vocabularies take 5 MB.
constexpr size_t kMaxBytes = size_t{64} << 20;

std::string_view trim_end(std::string_view line) {
  const char* begin = line.data();
  const char* end = begin + line.size();
  while (begin < end) {
    const char32_t c = decode_utf8_before(begin, end);
    if (!(char_record(c).flags & kCharSpace)) break;
    end -= c < 0x80 ? 1 : c < 0x800 ? 2 : 3;  // all whitespace lies below U+10000
  }
  return line.substr(0, static_cast<size_t>(end - begin));
}

}  // namespace

void read_vocab_txt(const std::filesystem::path& path, std::string_view unknown_token,
                    TokenizerParts& parts) {
  parts.file = path.string();
  const std::string content = read_file(parts.file, kMaxBytes);
  int32_t id = 0;
  for (size_t begin = 0; begin < content.size(); ++id) {
    size_t end = content.find('\n', begin);
    if (end == std::string::npos) end = content.size();
    const std::string_view line(content.data() + begin, end - begin);
    begin = end + 1;
    if (!is_utf8(line)) fail(ErrorCode::format, parts.file, ": line ", id + 1, ": not UTF-8");
    if (id > kMaxTokenId)
      fail(ErrorCode::limit, parts.file, ": more than ", kMaxTokenId + 1, " lines");
    const std::string_view token = trim_end(line);
    if (token.size() > kMaxTokenBytes)
      fail(ErrorCode::limit, parts.file, ": line ", id + 1, ": a token of more than ",
           kMaxTokenBytes, " bytes");
    if (token.empty()) {
      parts.empty_token = id;
      continue;
    }
    if (parts.vocabulary.add(token, id) != Vocabulary::Added::yes)
      fail(ErrorCode::format, parts.file, ": line ", id + 1, ": the token \"", token,
           "\" is on line ", *parts.vocabulary.find(token) + 1, " already");
  }
  if (parts.vocabulary.size() == 0)
    fail(ErrorCode::format, parts.file, ": the vocabulary is empty");
  const std::optional<int32_t> unknown = parts.vocabulary.find(unknown_token);
  if (!unknown)
    fail(ErrorCode::format, parts.file, ": the unk_token \"", unknown_token,
         "\" is not in the vocabulary");
  parts.model = WordPieceOptions{.unknown = *unknown};
}

}  // namespace headway
