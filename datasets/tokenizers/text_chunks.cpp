#include "datasets/tokenizers/text_chunks.hpp"

#include <cctype>

#include <unicode/uchar.h>
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
  U8_GET_UNSAFE(text.data(), 0, character);  // which is valid
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

// 0 if the text begins with none.
std::size_t contraction_bytes(std::string_view text) {
  constexpr std::array<std::string_view, 7> contractions{"'s", "'t",  "'re", "'ve",
                                                         "'m", "'ll", "'d"};
  const auto* const found = std::ranges::find_if(
      contractions, [&](std::string_view contraction) { return text.starts_with(contraction); });
  return found == contractions.end() ? 0 : found->size();
}

// A run of spaces leaves its last one to the chunk after it, unless it ends the text or is a single
// space: \s+(?!\S)|\s+
std::size_t space_bytes(std::string_view text) {
  const Run run = first_run(text, CharacterClass::space);
  const bool leaves_last = run.bytes < text.size() && run.bytes > run.last;
  return run.bytes - (leaves_last ? run.last : 0);
}

std::size_t chunk_bytes(std::string_view text) {
  if (const std::size_t bytes = contraction_bytes(text); bytes > 0) {
    return bytes;
  }
  const std::size_t lead = text.front() == ' ' && text.size() > 1 ? 1 : 0;
  const CharacterClass of = first_character(text.substr(lead)).of;
  return of == CharacterClass::space ? space_bytes(text)
                                     : lead + first_run(text.substr(lead), of).bytes;
}

}  // namespace

std::string_view next_chunk(std::string_view& text) {
  const std::string_view chunk = text.substr(0, chunk_bytes(text));
  text.remove_prefix(chunk.size());
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

}  // namespace tapehead
