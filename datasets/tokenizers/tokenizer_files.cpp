#include "datasets/tokenizers/tokenizer_files.hpp"

#include "core/files/files.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/word_piece.hpp"

namespace tapehead {

namespace {

constexpr std::string_view joint = "joint";
constexpr std::string_view source = "source";
constexpr std::string_view target = "target";

fs::path with_suffix(fs::path stem, std::string_view suffix) { return stem += suffix; }

std::unique_ptr<Tokenizer> load_vocabulary_tokenizer(const fs::path& file) {
  auto [kind, entries] = load_vocabulary(file);
  try {
    if (const auto unit = unit_of(kind)) {
      return std::make_unique<VocabularyTokenizer>(Vocabulary(std::move(entries)), *unit);
    }
    if (kind == ByteBpe::kind) {
      return std::make_unique<ByteBpe>(byte_pairs_of(entries));
    }
    if (kind == WordPiece::kind) {
      return std::make_unique<WordPiece>(word_piece_of(entries));
    }
    if (kind == ClassTokenizer::kind) {
      return std::make_unique<ClassTokenizer>(std::move(entries));
    }
  } catch (const DataError& error) {
    throw IoError("{}: {}", file.string(), error.what());
  }
  throw IoError("{} is a vocabulary of an unknown kind, {}", file.string(), kind);
}

bool has_tokenizer(const fs::path& stem) {
  return fs::exists(status_of(with_suffix(stem, vocabulary_suffix))) ||
         fs::exists(status_of(with_suffix(stem, SentencePieceTokenizer::suffix)));
}

}  // namespace

std::shared_ptr<const Tokenizer> tokenizer_of_lines(const PieceOptions& options,
                                                    std::span<const std::string> lines) {
  if (const auto unit = unit_of(name_of(options.kind))) {
    return std::make_shared<VocabularyTokenizer>(
        *unit == Unit::byte ? all_bytes() : count_units(lines, *unit, options.vocabulary), *unit);
  }
  if (options.kind == TokenizerKind::byte_bpe) {
    return std::make_shared<ByteBpe>(train_byte_bpe(lines, options.vocabulary));
  }
  if (options.kind == TokenizerKind::word_piece) {
    return std::make_shared<WordPiece>(
        train_word_piece(lines, options.vocabulary, word_piece_options(options.lower_case)));
  }
  return std::make_shared<SentencePieceTokenizer>(train_sentencepiece(lines, options));
}

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& stem) {
  const fs::path vocabulary = with_suffix(stem, vocabulary_suffix);
  const fs::path model = with_suffix(stem, SentencePieceTokenizer::suffix);
  if (fs::exists(vocabulary)) {
    return load_vocabulary_tokenizer(vocabulary);
  }
  if (fs::exists(model)) {
    return load_sentencepiece_tokenizer(model);
  }
  throw IoError("no tokenizer: neither {} nor {} exists", vocabulary.string(), model.string());
}

bool has_tokenizers(const fs::path& directory) {
  return has_tokenizer(directory / joint) ||
         (has_tokenizer(directory / source) && has_tokenizer(directory / target));
}

Tokenizers load_tokenizers(const fs::path& directory) {
  if (has_tokenizer(directory / joint) || !has_tokenizer(directory / source)) {
    const fs::path model = with_suffix(directory / joint, SentencePieceTokenizer::suffix);
    if (fs::exists(model)) {
      return {.source = load_sentencepiece_tokenizer(model, Pieces::all),
              .target = load_sentencepiece_tokenizer(model, Pieces::used)};
    }
    const std::shared_ptr<const Tokenizer> both = load_tokenizer(directory / joint);
    return {.source = both, .target = both};
  }
  return {.source = load_tokenizer(directory / source),
          .target = load_tokenizer(directory / target)};
}

Tokenizers tokenizers_of_run(const fs::path& run) {
  try {
    return load_tokenizers(run);
  } catch (const IoError& error) {
    throw IoError("task.tokenizer_of: {}", error.what());
  }
}

void save_tokenizers(const Tokenizers& tokenizers, const fs::path& directory) {
  make_directories(directory);
  if (tokenizers.source->shares_file_with(*tokenizers.target)) {
    tokenizers.source->save(directory / joint);
    return;
  }
  tokenizers.source->save(directory / source);
  tokenizers.target->save(directory / target);
}

std::string tokenizer_digest(const Tokenizer& tokenizer) {
  std::string entries;
  for (Index id = 0; id < tokenizer.size(); ++id) {
    const std::string entry = tokenizer.entry(static_cast<TokenId>(id));
    entries += fmt::format("{} {}\n", entry.size(), entry);  // the length: an entry may hold lines
  }
  return fmt::format("{:016x}", digest(entries));
}

}  // namespace tapehead
