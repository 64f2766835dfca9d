// How a SentencePieceTokenizer reads a line: a long one in parts.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/text_marks.hpp"

namespace tapehead {

namespace {

constexpr std::size_t long_line = std::size_t{1} << 16;

// Whether a space is put in front of a line, is known, and is in no piece behind something else: so
// a word has the same tokens whatever is before it.
bool words_have_tokens_apart(const sentencepiece::SentencePieceProcessor& processor) {
  std::vector<std::string> pieces;
  processor.Encode("a", &pieces).IgnoreError();  // fails only without a model
  bool apart = processor.PieceToId(space_shown) != unknown_id && !pieces.empty() &&
               pieces.front().starts_with(space_shown);
  for (int id = 0; apart && id < processor.GetPieceSize(); ++id) {
    std::string_view piece = processor.IdToPiece(id);
    while (piece.starts_with(space_shown)) {
      piece.remove_prefix(space_shown.size());
    }
    apart = piece.find(space_shown) == std::string_view::npos;
  }
  return apart;
}

// From `first` on, between ASCII letters or digits, which no normalisation joins with a space.
std::size_t space_between_words(std::string_view line, std::size_t first) {
  const auto in_word = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i])) != 0;
  };
  std::size_t space = line.find(' ', first);
  while (space != std::string_view::npos && !(in_word(space - 1) && in_word(space + 1))) {
    space = line.find(' ', space + 1);
  }
  return space;
}

}  // namespace

// The library's time and memory grow faster than a line. A long one is therefore cut between words,
// which have the same tokens apart from each other.
void SentencePieceTokenizer::append_line(std::string_view line,
                                         std::vector<TokenId>& tokens) const {
  if (const std::string_view name = language_name(line); !name.empty()) {
    tokens.push_back(id_of(std::string(name)));
    line.remove_prefix(name.size());
  }
  const bool cuts = line.size() > long_line && words_have_tokens_apart(processor_);
  while (!line.empty()) {
    const std::size_t end = cuts ? space_between_words(line, long_line) : std::string_view::npos;
    const std::vector<TokenId> more = tokens_of(line.substr(0, end));
    tokens.insert(tokens.end(), more.begin(), more.end());
    line.remove_prefix(std::min(end, line.size() - 1) + 1);
  }
}

}  // namespace tapehead
