#include "datasets/tokenizers/tokenizer_files.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view joint = "joint";
constexpr std::string_view source = "source";
constexpr std::string_view target = "target";

fs::path with_suffix(fs::path stem, std::string_view suffix) { return stem += suffix; }

bool has_tokenizer(const fs::path& stem) {
  std::error_code ignored;
  return fs::exists(with_suffix(stem, VocabularyTokenizer::suffix), ignored) ||
         fs::exists(with_suffix(stem, SentencePieceTokenizer::suffix), ignored);
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& stem) {
  const fs::path vocabulary = with_suffix(stem, VocabularyTokenizer::suffix);
  const fs::path model = with_suffix(stem, SentencePieceTokenizer::suffix);
  if (fs::exists(vocabulary)) {
    return load_vocabulary_tokenizer(vocabulary);
  }
  if (fs::exists(model)) {
    return load_sentencepiece_tokenizer(model);
  }
  throw IoError(
      fmt::format("no tokenizer: neither {} nor {} exists", vocabulary.string(), model.string()));
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

void save_tokenizers(const Tokenizers& tokenizers, const fs::path& directory) {
  make_directories(directory);
  if (tokenizers.source->shares_file_with(*tokenizers.target)) {
    tokenizers.source->save(directory / joint);
    return;
  }
  tokenizers.source->save(directory / source);
  tokenizers.target->save(directory / target);
}

}  // namespace tapehead
