// One pass over the tokens each.
#include "engine/text/decoders.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/text/byte_alphabet.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// `from` is not empty.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t done = 0;
  std::string out;
  for (size_t at; (at = text.find(from, done)) != std::string::npos; done = at + from.size()) {
    out.append(text, done, at - done);
    out += to;
  }
  if (done == 0) return;
  out.append(text, done);
  text = std::move(out);
}

void clean_up(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kReplacements) replace_all(text, from, to);
}

// The byte of each character of the byte alphabet, which ends at U+0143; -1 for others.
std::array<int16_t, 0x144> make_bytes_by_char() {
  std::array<int16_t, 0x144> bytes;
  bytes.fill(-1);
  for (size_t byte = 0; byte < 256; ++byte) bytes[kByteAlphabet[byte]] = static_cast<int16_t>(byte);
  return bytes;
}

// False, appending nothing, when a character is not of the alphabet.
bool append_bytes(std::string& out, std::string_view token) {
  static const std::array<int16_t, 0x144> bytes = make_bytes_by_char();
  const size_t before = out.size();
  const char* const end = token.data() + token.size();
  for (const char* p = token.data(); p < end;) {
    const char32_t c = decode_utf8(p, end);
    if (c >= bytes.size() || bytes[c] < 0) {
      out.resize(before);
      return false;
    }
    out += static_cast<char>(bytes[c]);
  }
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte of "<0x0A>"; -1 for another token. Rust's parser of numbers takes "<0x+A>" too.
int fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return -1;
  const int high = token[3] == '+' ? 0 : hex_digit(token[3]), low = hex_digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace

void WordPieceDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) {
      if (tokens[i].starts_with(prefix)) {
        tokens[i].erase(0, prefix.size());
      } else {
        tokens[i].insert(0, 1, ' ');
      }
    }
    if (cleanup) clean_up(tokens[i]);
  }
}

void BpeDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  for (std::string& token : tokens) replace_all(token, suffix, &token == &tokens.back() ? "" : " ");
}

void ByteLevelDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  std::string bytes;
  for (const std::string& token : tokens)
    if (!append_bytes(bytes, token)) bytes += token;
  tokens.assign(1, std::string());
  append_valid_utf8(tokens[0], bytes);
}

void MetaspaceDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  for (std::string& token : tokens)
    replace_all(token, replacement, prepended && &token == &tokens.front() ? "" : " ");
}

void ByteFallbackDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  std::vector<std::string> result;
  std::string bytes;
  const auto flush = [&] {
    if (is_utf8(bytes)) {
      if (!bytes.empty()) result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const int byte = fallback_byte(token); byte >= 0) {
      bytes += static_cast<char>(byte);
      continue;
    }
    flush();
    result.push_back(std::move(token));
  }
  flush();
  tokens = std::move(result);
}

void FuseDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  std::string text;
  for (const std::string& token : tokens) text += token;
  tokens.assign(1, std::move(text));
}

void StripDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  for (std::string& token : tokens) {
    std::string_view rest = token;
    for (size_t i = 0; i < start && rest.starts_with(content); ++i)
      rest.remove_prefix(content.size());
    for (size_t i = 0; i < stop && rest.ends_with(content); ++i) rest.remove_suffix(content.size());
    token = std::string(rest);
  }
}

void ReplaceDecoder::apply(std::vector<std::string>& tokens, WorkBudget& budget) const {
  NormalizerMemory memory;
  memory.budget = budget;
  for (std::string& token : tokens) {
    std::string replaced;
    replace.apply(token, memory, replaced);
    token = std::move(replaced);
  }
  budget = memory.budget;
}

void CtcDecoder::apply(std::vector<std::string>& tokens, WorkBudget&) const {
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  for (std::string& token : tokens) {
    replace_all(token, padding, "");
    if (!cleanup) continue;
    clean_up(token);
    replace_all(token, word_delimiter, " ");
  }
  std::erase(tokens, std::string());
}

}  // namespace headway
