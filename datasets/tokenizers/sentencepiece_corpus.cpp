#include "datasets/tokenizers/sentencepiece_corpus.hpp"

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr Index longest_run = 1000;  // characters without a space
constexpr std::string_view nul{"\0", 1};

}  // namespace

std::string with_spaces(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '\t', ' ');
  return result;
}

std::string_view sentencepiece_reserved(std::string_view character) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> reserved{{
      {nul, "SentencePiece has no piece with a NUL byte"},
      {"\u2581", "SentencePiece writes it for a space"},
      {unknown_stand_in, "SentencePiece writes it for unknown text"},
  }};
  const auto* const found =
      std::ranges::find(reserved, character, [](const auto& row) { return row.first; });
  return found == reserved.end() ? std::string_view() : found->second;
}

bool has_text(std::string_view text, Normalization normalization) {
  const auto characters =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  for (int32_t i = 0; i < characters.length(); i = characters.moveIndex32(i, 1)) {
    const UChar32 character = characters.char32At(i);
    const bool space = character == U' ' || character == U'\u2581';
    const bool gone = normalization != Normalization::identity &&
                      (u_isUWhiteSpace(character) != 0 ||
                       u_hasBinaryProperty(character, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0);
    if (!space && !gone) {
      return true;
    }
  }
  return false;
}

std::string trainable_line(std::string_view text) {
  const std::string spaced = with_spaces(text);
  std::string_view line = spaced;
  std::string result;
  result.reserve(line.size());
  Index run = 0;
  while (!line.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(line));
    const std::string_view character = line.substr(0, length);
    const bool mark =
        line.starts_with("<unk>") || line.starts_with("<s>") || line.starts_with("</s>");
    line.remove_prefix(length);
    if (character == nul || character == unknown_stand_in) {
      continue;
    }
    run = character == " " ? 0 : run + 1;
    if (run > longest_run) {
      result += ' ';
      run = 1;
    }
    result += character;
    if (mark) {
      result += ' ';
      run = 0;
    }
  }
  return result;
}

}  // namespace tapehead
