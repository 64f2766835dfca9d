#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/random/draws.hpp"
#include "datasets/tokenizers/sentencepiece_corpus.hpp"
#include "datasets/tokenizers/subword_dropout.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

// A saved model ends with a checksum, as a field with number 1000, fixed64. SentencePiece leaves
// numbers from 200 on to others (sentencepiece_model.proto, ModelProto), so its own tools can read
// the file too.
constexpr std::string_view checksum_tag = "\xC1\x3E";
constexpr std::string_view word_begin = "\u2581";  // stands for the space before a word
constexpr std::size_t checksum_bytes = checksum_tag.size() + sizeof(std::uint64_t);

std::string checksum_of(std::string_view model) {
  const std::uint64_t value = digest(model);
  std::array<char, sizeof value> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  return std::string(checksum_tag) + std::string(bytes.data(), bytes.size());
}

// Removes spaces at both ends, and makes one space of several. U+2581 counts as a space if it
// stands for one.
std::string with_single_spaces(std::string_view text, bool spelled) {
  std::string result;
  bool space = false;
  while (!text.empty()) {
    const bool stand_in = spelled && text.starts_with(word_begin);
    if (stand_in || text.front() == ' ') {
      space = !result.empty();
    } else {
      if (std::exchange(space, false)) {
        result += ' ';
      }
      result += text.front();
    }
    text.remove_prefix(stand_in ? word_begin.size() : 1);
  }
  return result;
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string model, Pieces pieces)
    : model_(std::move(model)) {
  const auto status = processor_.LoadFromSerializedProto(model_);
  if (!status.ok()) {
    throw DataError(fmt::format("not a SentencePiece model: {}", status.error_message()));
  }
  if (processor_.unk_id() != unknown_id || processor_.bos_id() != begin_id ||
      processor_.eos_id() != end_id) {
    throw DataError(fmt::format(
        "a SentencePiece model whose unknown, begin and end marks are {}, {} and {}, not {}, {} "
        "and {}",
        processor_.unk_id(), processor_.bos_id(), processor_.eos_id(), unknown_id, begin_id,
        end_id));
  }
  size_ = processor_.GetPieceSize();
  line_end_ = processor_.PieceToId(line_end);
  if (pieces == Pieces::all) {
    processor_.ResetVocabulary().IgnoreError();  // fails only without a model
    return;
  }
  while (processor_.IsUnused(static_cast<int>(size_ - 1))) {  // a mark is never unused
    --size_;
  }
}

std::vector<TokenId> SentencePieceTokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens;
  if (line_end_ != unknown_id) {
    for (std::size_t end = text.find(line_end); end != std::string_view::npos;
         end = text.find(line_end)) {
      append_line(text.substr(0, end), tokens);
      tokens.push_back(line_end_);
      text.remove_prefix(end + line_end.size());
    }
  }
  append_line(text, tokens);
  return tokens;
}

void SentencePieceTokenizer::append_line(std::string_view line,
                                         std::vector<TokenId>& tokens) const {
  std::vector<TokenId> more;
  processor_.Encode(with_spaces(line), &more).IgnoreError();  // fails only without a model
  tokens.insert(tokens.end(), more.begin(), more.end());
}

std::vector<TokenId> SentencePieceTokenizer::encode_rest(std::string_view text) const {
  const std::size_t end = line_end_ == unknown_id ? std::string_view::npos : text.find(line_end);
  std::vector<TokenId> tokens = rest_of_line(text.substr(0, end));
  if (end != std::string_view::npos) {
    const std::vector<TokenId> lines = encode(text.substr(end));
    tokens.insert(tokens.end(), lines.begin(), lines.end());
  }
  return tokens;
}

// The library puts a space in front of a line. Here an unknown character stands between that space
// and the text: no piece goes across it, and unknown text right behind it shares its token.
std::vector<TokenId> SentencePieceTokenizer::rest_of_line(std::string_view text) const {
  const std::string behind = std::string(unknown_stand_in) + with_spaces(text);
  std::vector<TokenId> tokens;
  std::vector<std::string> pieces;
  processor_.Encode(behind, &tokens).IgnoreError();  // fails only without a model
  processor_.Encode(behind, &pieces).IgnoreError();
  const auto at = std::ranges::find_if(pieces, [](const std::string& piece) {
    return piece.find(unknown_stand_in) != std::string::npos;
  });
  const bool shared = at != pieces.end() && !at->ends_with(unknown_stand_in);
  const auto first = at - pieces.begin() + (shared ? 0 : 1);
  tokens.erase(tokens.begin(), tokens.begin() + std::min(first, std::ssize(tokens)));
  return tokens;
}

std::string SentencePieceTokenizer::spelled(std::string_view text) const {
  std::vector<std::string> pieces;
  processor_.Encode(with_spaces(text), &pieces).IgnoreError();  // fails only without a model
  std::string spelled;
  for (const std::string& piece : pieces) {
    spelled += piece;
  }
  return spelled;
}

std::vector<TokenId> SentencePieceTokenizer::cut(std::string_view spelled, double dropout,
                                                 const Draws& draws) const {
  const PieceScore score = [this](std::string_view piece) -> std::optional<float> {
    const int id = processor_.PieceToId(piece);
    return id >= mark_count ? std::optional(processor_.GetScore(id)) : std::nullopt;
  };
  std::vector<TokenId> tokens;
  std::uint64_t draw = 0;
  while (!spelled.empty()) {
    const std::string_view word = spelled.substr(0, spelled.find(word_begin, 1));
    spelled.remove_prefix(word.size());
    for (const std::string_view piece : merge_with_dropout(word, score, dropout, draws, draw)) {
      const TokenId token = processor_.PieceToId(piece);
      if (token != unknown_id || tokens.empty() || tokens.back() != unknown_id) {
        tokens.push_back(token);  // unknown neighbours are one token, as in SentencePiece
      }
    }
  }
  return tokens;
}

std::string SentencePieceTokenizer::decode(const std::vector<TokenId>& tokens) const {
  std::string text;
  std::vector<TokenId> line;
  const auto finish_line = [&] {
    std::string words;
    processor_.Decode(line, &words).IgnoreError();  // leaves out begin and end marks
    text += words;
    line.clear();
  };
  for (const TokenId token : tokens) {
    if (token == line_end_ && token != unknown_id) {
      finish_line();
      text += line_end;
    } else if (token >= 0 && token < size()) {
      line.push_back(token);
    }
  }
  finish_line();
  return text;
}

std::vector<std::string> SentencePieceTokenizer::unknown_parts(std::string_view text) const {
  const std::size_t end = line_end_ == unknown_id ? std::string_view::npos : text.find(line_end);
  std::vector<std::string> unknown = unknown_in_line(text.substr(0, end));
  if (end != std::string_view::npos) {
    const auto later = unknown_parts(text.substr(end + line_end.size()));
    unknown.insert(unknown.end(), later.begin(), later.end());
  }
  return unknown;
}

std::vector<std::string> SentencePieceTokenizer::unknown_in_line(std::string_view text) const {
  std::vector<TokenId> tokens;
  append_line(text, tokens);
  std::vector<std::string> pieces;
  if (std::ranges::find(tokens, unknown_id) != tokens.end()) {    // rarely
    processor_.Encode(with_spaces(text), &pieces).IgnoreError();  // fails only without a model
  }
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (tokens[i] == unknown_id) {
      const auto characters = units_of(pieces[i], Unit::character);
      unknown.insert(unknown.end(), characters.begin(), characters.end());
    }
  }
  if (processor_.PieceToId(word_begin) == unknown_id) {
    std::ranges::replace(unknown, word_begin, std::string(" "));
  } else {
    std::erase(unknown, word_begin);  // known, but next to something unknown
  }
  for (std::size_t at = text.find(word_begin); at != std::string_view::npos;
       at = text.find(word_begin, at + word_begin.size())) {
    unknown.emplace_back(word_begin);
  }
  return unknown;
}

std::string SentencePieceTokenizer::entry(TokenId token) const {
  return token == line_end_ && token != unknown_id
             ? "\\n"
             : processor_.IdToPiece(token >= 0 && token < size() ? token : unknown_id);
}

void SentencePieceTokenizer::save(const std::filesystem::path& stem) const {
  write_file_atomically(std::filesystem::path(stem) += suffix, model_ + checksum_of(model_));
}

bool SentencePieceTokenizer::shares_file_with(const Tokenizer& other) const {
  const auto* const same_kind = dynamic_cast<const SentencePieceTokenizer*>(&other);
  return same_kind != nullptr && same_kind->model_ == model_;
}

// With `identity` the library does not show what it loses, so the text itself is normalised here.
// With the other types only the library knows the normalisation; the text is what its pieces spell.
std::string normalised_text(const SentencePieceTokenizer& tokenizer, std::string_view text,
                            Normalization normalization) {
  return normalization == Normalization::identity
             ? with_single_spaces(with_spaces(text), false)
             : with_single_spaces(tokenizer.spelled(text), true);
}

std::unique_ptr<Tokenizer> load_sentencepiece_tokenizer(const std::filesystem::path& file,
                                                        Pieces pieces) {
  std::string content = read_file(file);
  const std::size_t size = content.size() - std::min(content.size(), checksum_bytes);
  const std::string checksum = content.substr(size);
  content.resize(size);
  if (checksum != checksum_of(content)) {
    throw IoError(
        fmt::format("{} is damaged: its content does not match its checksum", file.string()));
  }
  try {
    return std::make_unique<SentencePieceTokenizer>(std::move(content), pieces);
  } catch (const DataError& error) {
    throw IoError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace tapehead
