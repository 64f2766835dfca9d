// How a SentencePieceTokenizer reads a line: a long one in parts.
#include <unordered_map>

#include "datasets/tokenizers/sentencepiece_content.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

namespace {

constexpr std::size_t long_line = std::size_t{1} << 16;

}  // namespace

// Whether a space is put in front of a line, is known, and is in no piece behind something else.
bool SentencePieceTokenizer::words_have_tokens_apart() const {
  const std::vector<std::string> pieces = pieces_of("a");
  bool apart = processor_.PieceToId(space_shown) != unknown_id && !pieces.empty() &&
               pieces.front().starts_with(space_shown);
  for (int id = 0; apart && id < processor_.GetPieceSize(); ++id) {
    std::string_view piece = processor_.IdToPiece(id);
    while (piece.starts_with(space_shown)) {
      piece.remove_prefix(space_shown.size());
    }
    apart = piece.find(space_shown) == std::string_view::npos;
  }
  return apart;
}

bool SentencePieceTokenizer::has_merges() const {
  return content_of(*this).kind == TokenizerKind::bpe;
}

// The space behind a part belongs to the next one: the library puts a space in front of a line. No
// normalisation joins a space with ASCII letters or digits.
std::string_view SentencePieceTokenizer::take_part(std::string_view& line,
                                                   std::size_t bytes) const {
  if (!words_apart_) {
    return std::exchange(line, {});
  }
  const std::string_view part = Tokenizer::take_part(line, bytes);
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  return part;
}

// The library's time and memory grow faster than a line. A long one is therefore cut between words,
// which have the same tokens apart from each other. With merges each word is looked up once; the
// scores of unigram are sums over a line, which are rounded.
void SentencePieceTokenizer::append_line(std::string_view line,
                                         std::vector<TokenId>& tokens) const {
  if (const std::string_view name = language_name(line); !name.empty()) {
    tokens.push_back(id_of(std::string(name)));
    line.remove_prefix(name.size());
  }
  const std::size_t bytes = line.size() < long_line ? line.size() : merges_ ? 1 : long_line;
  std::unordered_map<std::string_view, std::vector<TokenId>> seen;
  while (!line.empty()) {
    const std::string_view part = take_part(line, bytes);
    const auto [known, is_new] = seen.try_emplace(part);
    if (is_new) {
      known->second = tokens_of(part);
    }
    tokens.insert(tokens.end(), known->second.begin(), known->second.end());
  }
}

}  // namespace tapehead
