#include "datasets/tokenizers/read_pretrained.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "datasets/tokenizers/pretrained_byte_bpe.hpp"
#include "datasets/tokenizers/pretrained_word_piece.hpp"
#include "datasets/tokenizers/tokenizer_json.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Errors name the file.
template <class Read>
auto read_from(const fs::path& file, const Read& read) {
  try {
    return read(read_file(file));
  } catch (const DataError& error) {
    throw IoError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw IoError(
        fmt::format("{} is damaged, or of another format: {}", file.string(), error.what()));
  }
}

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text); }

// Empty if there is none.
nlohmann::json config_in(const fs::path& directory) {
  const fs::path file = directory / "tokenizer_config.json";
  return is_file(file) ? read_from(file, parsed) : nlohmann::json::object();
}

PretrainedTokenizer tokenizer_of_json(const std::string& text) {
  const nlohmann::json tokenizer = parsed(text);
  if (tokenizer.at("model").at("type") == "WordPiece") {
    return word_piece_of_json(tokenizer);
  }
  expect_type(tokenizer, "model", "BPE");
  return byte_bpe_of_json(tokenizer);
}

}  // namespace

PretrainedTokenizer read_pretrained_tokenizer(const fs::path& directory) {
  if (const fs::path whole = directory / "tokenizer.json"; is_file(whole)) {
    return read_from(whole, tokenizer_of_json);
  }
  if (const fs::path entries = directory / "vocab.json"; is_file(entries)) {
    const auto vocabulary = read_from(
        entries, [](const std::string& text) { return parsed(text).get<FileVocabulary>(); });
    return read_from(directory / "merges.txt", [&](const std::string& merges) {
      return byte_bpe_of_files(vocabulary, merges, config_in(directory));
    });
  }
  if (const fs::path entries = directory / "vocab.txt"; is_file(entries)) {
    return read_from(entries, [&](const std::string& text) {
      return word_piece_of_files(text, config_in(directory));
    });
  }
  throw IoError(fmt::format(
      "no tokenizer in {}: neither tokenizer.json, nor vocab.json with merges.txt, nor vocab.txt",
      directory.string()));
}

}  // namespace tapehead
