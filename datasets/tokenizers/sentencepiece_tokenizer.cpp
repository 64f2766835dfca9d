#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

#include "core/text.hpp"
#include "datasets/tokenizers/merge_table.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"

namespace tapehead {

namespace {

// Removes spaces at both ends, and replaces several spaces by one.
std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (const auto word : std::views::split(text, ' ')) {
    if (!word.empty()) {
      result.append(result.empty() ? "" : " ").append(word.begin(), word.end());
    }
  }
  return result;
}

// U+2581 becomes a space.
std::string with_plain_spaces(std::string_view text) {
  return replaced(text, {{space_shown, " "}});
}

// The library marks all other pieces unused, except single characters.
void use_first(Index pieces, sentencepiece::SentencePieceProcessor& processor) {
  if (pieces < mark_count || pieces > processor.GetPieceSize()) {
    throw DataError("a SentencePiece model of {} pieces, of which a target uses {}",
                    processor.GetPieceSize(), pieces);
  }
  const auto used = mapped(numbers_below(static_cast<int>(pieces)),
                           [&](int id) { return std::string_view(processor.IdToPiece(id)); });
  processor.SetVocabulary(used).IgnoreError();  // fails only without a model
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string model, Pieces pieces)
    : model_(std::move(model)) {
  expect_sound_character_maps(model_);
  try {  // the library returns some faults of a model and throws the rest
    if (const auto status = processor_.LoadFromSerializedProto(model_); !status.ok()) {
      throw std::runtime_error(status.error_message());
    }
  } catch (const std::exception& error) {
    throw DataError("not a SentencePiece model: {}", error.what());
  }
  if (processor_.unk_id() != unknown_id || processor_.bos_id() != begin_id ||
      processor_.eos_id() != end_id) {
    throw DataError(
        "a SentencePiece model whose unknown, begin and end marks are {}, {} and {}, not {}, {} "
        "and {}",
        processor_.unk_id(), processor_.bos_id(), processor_.eos_id(), unknown_id, begin_id,
        end_id);
  }
  const ModelAdditions additions = additions_of(model_);
  pieces_ = processor_.GetPieceSize();
  language_names_ = additions.language_names;
  further_ = Vocabulary(additions.further_entries);
  line_end_ = processor_.PieceToId(line_end);
  if (pieces == Pieces::all) {
    processor_.ResetVocabulary().IgnoreError();  // fails only without a model
  } else {
    if (additions.target_pieces) {
      use_first(*additions.target_pieces, processor_);
    }
    while (processor_.IsUnused(static_cast<int>(pieces_ - 1))) {  // a mark is never unused
      --pieces_;
    }
  }
  words_apart_ = words_have_tokens_apart();
  merges_ = content_of(*this).kind == TokenizerKind::bpe;
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

// The name of the language at the beginning of a line; empty if there is none.
std::string_view SentencePieceTokenizer::language_name(std::string_view line) const {
  const std::size_t end = language_names_ && line.starts_with(">>") ? line.find("<<") : line.npos;
  return end == line.npos ? std::string_view() : line.substr(0, end + 2);
}

TokenId SentencePieceTokenizer::id_of(const std::string& entry) const {
  const TokenId further = further_.id(entry);
  return further == unknown_id ? processor_.PieceToId(entry)
                               : static_cast<TokenId>(pieces_) + further - mark_count;
}

// The library joins unknown neighbours into one piece, which may be a further entry.
std::vector<TokenId> SentencePieceTokenizer::tokens_of(std::string_view line) const {
  const std::string text = with_spaces(line);
  std::vector<TokenId> tokens = processor_.EncodeAsIds(text);
  if (further_.size() == mark_count || std::ranges::find(tokens, unknown_id) == tokens.end()) {
    return tokens;
  }
  const std::vector<std::string> pieces = processor_.EncodeAsPieces(text);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (tokens[i] == unknown_id && further_.id(pieces[i]) != unknown_id) {
      tokens[i] = id_of(pieces[i]);
    }
  }
  return tokens;
}

// The library puts a space in front of a line. Here an unknown character stands between that space
// and the text. No piece crosses it, and unknown text directly after it shares its token.
std::vector<TokenId> SentencePieceTokenizer::encode_rest(std::string_view text) const {
  const std::size_t end = line_end_ == unknown_id ? std::string_view::npos : text.find(line_end);
  const std::string behind = std::string(unknown_stand_in) + with_spaces(text.substr(0, end));
  std::vector<TokenId> tokens = processor_.EncodeAsIds(behind);
  const std::vector<std::string> pieces = processor_.EncodeAsPieces(behind);
  const auto at = std::ranges::find_if(pieces, [](const std::string& piece) {
    return piece.find(unknown_stand_in) != std::string::npos;
  });
  const bool shared = at != pieces.end() && !at->ends_with(unknown_stand_in);
  const auto first = at - pieces.begin() + (shared ? 0 : 1);
  tokens.erase(tokens.begin(), tokens.begin() + std::min(first, std::ssize(tokens)));
  if (end != std::string_view::npos) {
    std::ranges::copy(encode(text.substr(end)), std::back_inserter(tokens));
  }
  return tokens;
}

std::string SentencePieceTokenizer::spelled(std::string_view text) const {
  return join(processor_.EncodeAsPieces(with_spaces(text)), "");
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
    const std::string_view word = spelled.substr(0, spelled.find(space_shown, 1));
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
  for (const TokenId token : tokens) {
    if (token == line_end_ && token != unknown_id) {
      text.append(words_of(line)).append(line_end);
      line.clear();
    } else if (token >= 0 && token < size()) {
      line.push_back(token);
    }
  }
  return text + words_of(line);
}

// Leaves out begin and end marks. A further entry is written as it is, but U+2581 becomes a space.
std::string SentencePieceTokenizer::words_of(const std::vector<TokenId>& tokens) const {
  if (std::ranges::all_of(tokens, [&](TokenId token) { return token < pieces_; })) {
    return processor_.DecodeIds(tokens);
  }
  const auto pieces = mapped(tokens, [&](TokenId token) {
    return token < pieces_ ? entry(token) : with_plain_spaces(entry(token));
  });
  const std::string words = processor_.DecodePieces(pieces);
  const auto first = std::ranges::find_if(
      tokens, [](TokenId token) { return token != begin_id && token != end_id; });
  return words.substr(*first >= pieces_ && words.starts_with(' ') ? 1 : 0);
}

std::vector<std::string> SentencePieceTokenizer::unknown_parts(std::string_view text) const {
  const std::size_t end = line_end_ == unknown_id ? std::string_view::npos : text.find(line_end);
  std::vector<std::string> unknown = unknown_in_line(text.substr(0, end));
  if (end != std::string_view::npos) {
    std::ranges::copy(unknown_parts(text.substr(end + line_end.size())),
                      std::back_inserter(unknown));
  }
  return unknown;
}

std::vector<std::string> SentencePieceTokenizer::unknown_in_line(std::string_view text) const {
  std::vector<std::string> unknown;
  if (const std::string_view name = language_name(text); !name.empty()) {
    if (id_of(std::string(name)) == unknown_id) {
      unknown.emplace_back(name);
    }
    text.remove_prefix(name.size());
  }
  const std::vector<TokenId> tokens = tokens_of(text);
  std::vector<std::string> pieces;
  if (std::ranges::find(tokens, unknown_id) != tokens.end()) {  // rarely
    pieces = processor_.EncodeAsPieces(with_spaces(text));
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (tokens[i] == unknown_id) {
      const auto characters = units_of(pieces[i], Unit::character);
      unknown.insert(unknown.end(), characters.begin(), characters.end());
    }
  }
  if (processor_.PieceToId(space_shown) == unknown_id) {
    std::ranges::replace(unknown, space_shown, std::string(" "));
  } else {
    std::erase(unknown, space_shown);  // known, but next to an unknown character
  }
  for (std::size_t at = text.find(space_shown); at != std::string_view::npos;
       at = text.find(space_shown, at + space_shown.size())) {
    unknown.emplace_back(space_shown);
  }
  return unknown;
}

std::string SentencePieceTokenizer::entry(TokenId token) const {
  if (token >= pieces_ && token < size()) {
    return further_.entry(token - static_cast<TokenId>(pieces_) + mark_count);
  }
  return token == line_end_ && token != unknown_id
             ? "\\n"
             : processor_.IdToPiece(token >= 0 && token < pieces_ ? token : unknown_id);
}

// With `identity` the library does not show what it loses, so the text itself is normalised here.
// The library alone knows the other normalisations, so the text is taken from its pieces.
std::string normalised_text(const SentencePieceTokenizer& tokenizer, std::string_view text,
                            Normalization normalization) {
  return with_single_spaces(normalization == Normalization::identity
                                ? with_spaces(text)
                                : with_plain_spaces(tokenizer.spelled(text)));
}

}  // namespace tapehead
