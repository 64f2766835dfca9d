#include "datasets/tokenizers/read_pretrained.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "datasets/tokenizers/pretrained_json.hpp"

namespace tapehead {

namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// Errors name the file.
template <class Read>
auto read_from(const std::filesystem::path& file, const Read& read) {
  try {
    return read();
  } catch (const DataError& error) {
    throw IoError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw IoError(
        fmt::format("{} is damaged, or of another format: {}", file.string(), error.what()));
  }
}

}  // namespace

PretrainedTokenizer read_pretrained_tokenizer(const std::filesystem::path& directory) {
  const auto whole = directory / "tokenizer.json";
  const auto vocabulary = directory / "vocab.json";
  const auto merges = directory / "merges.txt";
  if (is_file(whole)) {
    return read_from(whole,
                     [&] { return tokenizer_of_json(nlohmann::json::parse(read_file(whole))); });
  }
  if (is_file(vocabulary)) {
    const auto entries = read_from(vocabulary, [&] {
      return nlohmann::json::parse(read_file(vocabulary)).get<FileVocabulary>();
    });
    return read_from(merges, [&] { return byte_bpe_of_files(entries, read_file(merges)); });
  }
  throw IoError(
      fmt::format("no tokenizer in {}: neither tokenizer.json nor vocab.json with merges.txt",
                  directory.string()));
}

}  // namespace tapehead
