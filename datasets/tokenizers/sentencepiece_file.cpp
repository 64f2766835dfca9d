// The file of a SentencePiece model: its bytes and a checksum.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/random/draws.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

namespace {

// A saved model ends with a checksum, as a field with number 1000, fixed64. SentencePiece leaves
// numbers from 200 on to others (sentencepiece_model.proto, ModelProto), so its own tools can read
// the file too.
constexpr std::string_view checksum_tag = "\xC1\x3E";
constexpr std::size_t checksum_bytes = checksum_tag.size() + sizeof(std::uint64_t);

std::string checksum_of(std::string_view model) {
  const std::uint64_t value = digest(model);
  std::array<char, sizeof value> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  return std::string(checksum_tag) + std::string(bytes.data(), bytes.size());
}

}  // namespace

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

}  // namespace tapehead
