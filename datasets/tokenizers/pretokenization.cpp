#include "datasets/tokenizers/pretokenization.hpp"

#include <cctype>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

enum class CharacterClass { letter, number, space, other };

CharacterClass class_of(UChar32 character) {
  const auto category = U_MASK(u_charType(character));
  if ((category & U_GC_L_MASK) != 0) {
    return CharacterClass::letter;
  }
  if ((category & U_GC_N_MASK) != 0) {
    return CharacterClass::number;
  }
  return u_isUWhiteSpace(character) != 0 ? CharacterClass::space : CharacterClass::other;
}

struct Character {
  CharacterClass of = CharacterClass::other;
  std::size_t bytes = 1;
};

Character first_character(std::string_view text) {
  const std::size_t bytes = utf8_length(text);
  if (bytes == 0) {
    return {};
  }
  UChar32 character = 0;
  U8_GET_UNSAFE(text.data(), 0, character);  // the character is valid
  return {class_of(character), bytes};
}

// A run of characters of one class.
struct Run {
  std::size_t bytes = 0;
  std::size_t last = 0;  // bytes of its last character
};

Run first_run(std::string_view text, CharacterClass of) {
  Run run;
  while (run.bytes < text.size()) {
    const Character next = first_character(text.substr(run.bytes));
    if (next.of != of) {
      break;
    }
    run.bytes += next.bytes;
    run.last = next.bytes;
  }
  return run;
}

// Bytes of the contraction at the beginning of the text; 0: none.
std::size_t contraction_bytes(std::string_view text) {
  for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(contraction)) {
      return contraction.size();
    }
  }
  return 0;
}

// Bytes of a chunk of spaces, \s+(?!\S)|\s+: its last space belongs to the next chunk, unless the
// run ends the text or is a single space.
std::size_t space_bytes(std::string_view text) {
  const Run run = first_run(text, CharacterClass::space);
  const bool leaves_last = run.bytes < text.size() && run.bytes > run.last;
  return run.bytes - (leaves_last ? run.last : 0);
}

constexpr UChar32 replacement_character = 0xFFFD;  // stands for invalid UTF-8
constexpr UChar32 capital_i_with_dot = 0x130;      // the only one with two characters in lower case
constexpr UChar32 dot_above = 0x307;

// CJK unified and compatibility ideographs, as in the package tokenizers (BertNormalizer). There
// the sixth block begins at 2B920, in tokenization.py at 2B820.
bool is_chinese(UChar32 character) {
  constexpr std::pair<UChar32, UChar32> blocks[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return std::ranges::any_of(blocks, [&](const auto& block) {
    return character >= block.first && character <= block.second;
  });
}

// A bit for the general category in Unicode 8.0, the version of the package tokenizers (in the
// crate unicode_categories); 0 for a newer character.
std::uint32_t category_bit(UChar32 character) {
  constexpr std::uint8_t newest = 8;
  UVersionInfo age;
  u_charAge(character, age);
  switch (character) {
    case 0x166D:   // Canadian syllabics chi sign, a symbol since 13.0
    case 0x111C9:  // Sharada sandhi mark, a mark since 11.0
      return U_GC_PO_MASK;
    case 0x1734:  // Hanunoo pamudpod, a spacing mark since 14.0
      return U_GC_MN_MASK;
    case 0x1885:  // Mongolian baluda and three baluda, non-spacing marks since 9.0
    case 0x1886:
      return U_GC_LO_MASK;
    case 0xA9BD:  // Javanese consonant sign keret, a non-spacing mark since 11.0
      return U_GC_MC_MASK;
    default:
      return age[0] > newest ? 0 : U_MASK(u_charType(character));
  }
}

bool is_space(UChar32 character) { return u_isUWhiteSpace(character) != 0; }

bool is_unclean(UChar32 character) {
  constexpr std::uint32_t other = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK;
  const bool control = (category_bit(character) & other) != 0 && character != '\t' &&
                       character != '\n' && character != '\r';
  return control || character == replacement_character;
}

// Whether the character is a word by itself: punctuation and ASCII symbols.
bool is_separate(UChar32 character) {
  const bool ascii = character > ' ' && character < 0x7F && u_isalnum(character) == 0;
  return ascii || (category_bit(character) & U_GC_P_MASK) != 0;
}

void for_characters(const icu::UnicodeString& text, const auto& each) {
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    each(text.char32At(i));
  }
}

icu::UnicodeString decomposed(const icu::UnicodeString& text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const nfd = icu::Normalizer2::getNFDInstance(status);
  icu::UnicodeString result = nfd == nullptr ? icu::UnicodeString() : nfd->normalize(text, status);
  if (U_FAILURE(status) != 0) {
    throw std::runtime_error("ICU has no canonical decomposition");
  }
  return result;
}

icu::UnicodeString normalised_for_words(std::string_view utf8, const BasicWordOptions& options) {
  const auto text =
      icu::UnicodeString::fromUTF8({utf8.data(), static_cast<std::int32_t>(utf8.size())});
  icu::UnicodeString clean;
  for_characters(text, [&](UChar32 character) {
    if (options.clean && is_unclean(character)) {
      return;
    }
    const bool apart = options.chinese_characters && is_chinese(character);
    clean.append(apart ? u" " : u"").append(character).append(apart ? u" " : u"");
  });
  icu::UnicodeString result;
  for_characters(options.strip_accents ? decomposed(clean) : clean, [&](UChar32 character) {
    if (options.strip_accents && category_bit(character) == U_GC_MN_MASK) {
      return;
    }
    // Character by character, so a sigma at the end of a word is like any other.
    result.append(options.lower_case ? u_tolower(character) : character);
    if (options.lower_case && character == capital_i_with_dot) {
      result.append(dot_above);
    }
  });
  return result;
}

struct AsciiCharacter {
  bool space, unclean, separate;
};

// append_words for ASCII text.
void append_ascii_words(std::string_view text, const BasicWordOptions& options,
                        std::vector<std::string>& words) {
  static const auto table = [] {
    std::array<AsciiCharacter, 128> characters{};
    for (UChar32 i = 0; i < 128; ++i) {
      characters[static_cast<std::size_t>(i)] = {is_space(i), is_unclean(i), is_separate(i)};
    }
    return characters;
  }();
  bool joins = false;  // the next character continues the last word
  for (const char byte : text) {
    const AsciiCharacter character = table[static_cast<unsigned char>(byte)];
    if (options.clean && character.unclean) {
      continue;
    }
    if (character.space) {
      joins = false;
      continue;
    }
    if (!joins || character.separate) {
      words.emplace_back();
    }
    const bool capital = byte >= 'A' && byte <= 'Z';
    words.back() += static_cast<char>(options.lower_case && capital ? byte + ('a' - 'A') : byte);
    joins = !character.separate;
  }
}

void append_words(std::string_view text, const BasicWordOptions& options,
                  std::vector<std::string>& words) {
  bool joins = false;  // the next character continues the last word
  for_characters(normalised_for_words(text, options), [&](UChar32 character) {
    if (is_space(character)) {
      joins = false;
      return;
    }
    const bool separate = is_separate(character);
    if (!joins || separate) {
      words.emplace_back();
    }
    icu::UnicodeString(character).toUTF8String(words.back());
    joins = !separate;
  });
}

}  // namespace

std::string_view next_chunk(std::string_view& text) {
  std::size_t bytes = contraction_bytes(text);
  if (bytes == 0) {
    const std::size_t lead = text.front() == ' ' && text.size() > 1 ? 1 : 0;
    const CharacterClass of = first_character(text.substr(lead)).of;
    bytes = of == CharacterClass::space ? space_bytes(text)
                                        : lead + first_run(text.substr(lead), of).bytes;
  }
  const std::string_view chunk = text.substr(0, bytes);
  text.remove_prefix(bytes);
  return chunk;
}

std::vector<std::string_view> chunks_of(std::string_view text) {
  std::vector<std::string_view> chunks;
  while (!text.empty()) {
    chunks.push_back(next_chunk(text));
  }
  return chunks;
}

std::string_view take_part(std::string_view& line, std::size_t bytes) {
  const auto in_word = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i])) != 0;
  };
  std::size_t space = line.find(' ', std::max<std::size_t>(1, bytes));
  while (space != std::string_view::npos && !(in_word(space - 1) && in_word(space + 1))) {
    space = line.find(' ', space + 1);
  }
  const std::string_view part = line.substr(0, space);
  line.remove_prefix(part.size());
  return part;
}

// Normalisation does not act across spaces, so each part between spaces is processed alone.
std::vector<std::string> basic_words(std::string_view text, const BasicWordOptions& options) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(' '));
    const bool ascii = std::ranges::all_of(part, [](char byte) { return U8_IS_SINGLE(byte); });
    (ascii ? append_ascii_words : append_words)(part, options, words);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return words;
}

}  // namespace tapehead
