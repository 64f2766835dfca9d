// The content of a model, the tokenizer's file with its checksum, and the encoding of a line.
#include <unordered_map>

#include "core/files/files.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

namespace {

// Further field numbers of sentencepiece_model.proto.
constexpr std::uint64_t piece_text = 1, piece_score = 2, piece_type = 3, unused_type = 5;
constexpr std::uint64_t trainer_model_type = 3, bpe_type = 2;
constexpr std::uint64_t normalizer_remove_extra_whitespaces = 4;

Piece piece_of(std::string_view message) {
  Piece piece;
  for_fields(message, [&](const SerializedField& field) {
    if (field.number == piece_text) {
      piece.text = field.content;
    } else if (field.number == piece_score) {
      std::memcpy(&piece.score, field.content.data(), sizeof piece.score);
    } else if (field.number == piece_type) {
      piece.unused = field.value == unused_type;
    }
  });
  return piece;
}

// A saved model ends with a checksum, as a field with number 1000, fixed64. SentencePiece leaves
// numbers from 200 on to extensions (sentencepiece_model.proto) and still reads the file.
constexpr std::string_view checksum_tag = "\xC1\x3E";
constexpr std::size_t checksum_bytes = checksum_tag.size() + sizeof(std::uint64_t);

std::string checksum_of(std::string_view model) {
  const std::uint64_t value = digest(model);
  std::array<char, sizeof value> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  return std::string(checksum_tag) + std::string(bytes.data(), bytes.size());
}

constexpr std::size_t long_line = std::size_t{1} << 16;

}  // namespace

SentencePieceContent content_of(const SentencePieceTokenizer& tokenizer) {
  SentencePieceContent content;
  const std::string model = tokenizer.model_in_use();
  const auto read_trainer = [&](const SerializedField& option) {
    if (option.number == trainer_model_type && option.value == bpe_type) {
      content.kind = TokenizerKind::bpe;
    }
  };
  const auto read_normalizer = [&](const SerializedField& option) {
    if (option.number == normalizer_character_map) {
      content.character_map = option.content;
    } else if (option.number == normalizer_remove_extra_whitespaces) {
      content.removes_spaces = option.value != 0;
    }
  };
  for_fields(model, [&](const SerializedField& field) {
    if (field.number == model_pieces) {
      content.pieces.push_back(piece_of(field.content));
    } else if (field.number == model_trainer) {
      for_fields(field.content, read_trainer);
    } else if (field.number == model_normalizer) {
      for_fields(field.content, read_normalizer);
    }
  });
  return content;
}

void SentencePieceTokenizer::save(const fs::path& stem) const {
  write_file_atomically(fs::path(stem) += suffix, model_ + checksum_of(model_));
}

std::unique_ptr<Tokenizer> load_sentencepiece_tokenizer(const fs::path& file, Pieces pieces) {
  std::string content = read_file(file);
  const std::size_t size = content.size() - std::min(content.size(), checksum_bytes);
  const std::string checksum = content.substr(size);
  content.resize(size);
  if (checksum != checksum_of(content)) {
    throw IoError("{} is damaged: its content does not match its checksum", file.string());
  }
  try {
    return std::make_unique<SentencePieceTokenizer>(std::move(content), pieces);
  } catch (const DataError& error) {
    throw IoError("{}: {}", file.string(), error.what());
  }
}

// Whether a known space is put in front of a line, and no piece has a space after other text.
bool SentencePieceTokenizer::words_have_tokens_apart() const {
  const std::vector<std::string> pieces = processor_.EncodeAsPieces("a");
  bool apart = processor_.PieceToId(space_shown) != unknown_id && !pieces.empty() &&
               pieces.front().starts_with(space_shown);
  for (int id = 0; apart && id < processor_.GetPieceSize(); ++id) {
    const std::string& piece = processor_.IdToPiece(id);
    apart = after_spaces(piece).find(space_shown) == std::string_view::npos;
  }
  return apart;
}

// Drops the space after a part: the library puts a space in front of the next part. No
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

// The library's time and memory grow faster than the length of a line. Long lines are therefore cut
// between words, whose tokens do not depend on each other. With merges, each distinct word is
// encoded once. Unigram keeps long parts, since its scores are rounded sums over a line.
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
