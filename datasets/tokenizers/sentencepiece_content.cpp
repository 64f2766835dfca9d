#include "datasets/tokenizers/sentencepiece_content.hpp"

#include <unordered_map>

#include "core/files/files.hpp"
#include "core/random/draws.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"

namespace tapehead {

namespace {

// The field numbers of sentencepiece_model.proto.
enum class ModelField { pieces = 1, trainer = 2, normalizer = 3 };
enum class PieceField { text = 1, score = 2, type = 3 };
constexpr std::uint64_t unused_type = 5;        // of a piece
constexpr std::uint64_t model_type_number = 3;  // of the trainer
constexpr std::uint64_t bpe_type = 2;
enum class NormalizerField { character_map = 2, remove_extra_whitespaces = 4 };

template <class Each>
void for_fields(std::string_view message, const Each& each) {
  while (!message.empty()) {
    each(take_field(message));
  }
}

float float_of(std::string_view bytes) {
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

Piece piece_of(std::string_view message) {
  Piece piece;
  for_fields(message, [&](const SerializedField& field) {
    switch (static_cast<PieceField>(field.number)) {
      case PieceField::text:
        piece.text = field.content;
        break;
      case PieceField::score:
        piece.score = float_of(field.content);
        break;
      case PieceField::type:
        piece.unused = field.value == unused_type;
        break;
    }
  });
  return piece;
}

void read_normalizer(std::string_view message, SentencePieceContent& content) {
  for_fields(message, [&](const SerializedField& field) {
    switch (static_cast<NormalizerField>(field.number)) {
      case NormalizerField::character_map:
        content.character_map = field.content;
        break;
      case NormalizerField::remove_extra_whitespaces:
        content.removes_spaces = field.value != 0;
        break;
    }
  });
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
  for_fields(model, [&](const SerializedField& field) {
    switch (static_cast<ModelField>(field.number)) {
      case ModelField::pieces:
        content.pieces.push_back(piece_of(field.content));
        break;
      case ModelField::trainer:
        for_fields(field.content, [&](const SerializedField& option) {
          if (option.number == model_type_number && option.value == bpe_type) {
            content.kind = TokenizerKind::bpe;
          }
        });
        break;
      case ModelField::normalizer:
        read_normalizer(field.content, content);
        break;
    }
  });
  return content;
}

void SentencePieceTokenizer::save(const std::filesystem::path& stem) const {
  write_file_atomically(std::filesystem::path(stem) += suffix, model_ + checksum_of(model_));
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

// Whether a known space is put in front of a line, and no piece has a space after other text.
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
