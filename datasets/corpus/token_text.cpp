#include "datasets/corpus/token_text.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/files/files.hpp"

namespace tapehead {

namespace {

// The file: a signature, the ids, zeros up to a multiple of 8 bytes, the end of each document,
// facts as JSON, their length, a checksum. Numbers are little-endian, as on every CPU that tapehead
// runs on.
static_assert(std::endian::native == std::endian::little);
constexpr std::string_view signature = "tapehead-tokens\n";
constexpr std::size_t number_bytes = sizeof(std::uint64_t);
constexpr std::size_t block_bytes = std::size_t{1} << 20;  // the checksum is over blocks

std::uint64_t number_at(const char* bytes, std::size_t width) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, width);
  return number;
}

std::size_t width_for(Index vocabulary) { return vocabulary <= 65536 ? 2 : 4; }

std::size_t padding(std::size_t bytes) {
  return (number_bytes - bytes % number_bytes) % number_bytes;
}

Hash checksum_of(std::string_view bytes) {
  Hash hash;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(block_bytes, bytes.size()))) {
    hash.add(bytes.substr(0, block_bytes));
  }
  return hash;
}

nlohmann::json facts_json(const TextCounts& counts, Index tokens, std::size_t width,
                          std::size_t documents) {
  return {{"tokens", tokens},
          {"token_bytes", width},
          {"documents", documents},
          {"bytes", counts.bytes},
          {"words", counts.words},
          {"unknown",
           {{"tokens", counts.unknown.tokens},
            {"lines", counts.unknown.lines},
            {"of", counts.unknown.of},
            {"first", counts.unknown.first},
            {"first_line", counts.unknown.first_line}}}};
}

TextCounts counts_of(const nlohmann::json& facts) {
  const nlohmann::json& unknown = facts.at("unknown");
  return {.bytes = facts.at("bytes"),
          .words = facts.at("words"),
          .unknown = {.tokens = unknown.at("tokens"),
                      .lines = unknown.at("lines"),
                      .of = unknown.at("of"),
                      .first = unknown.at("first"),
                      .first_line = unknown.at("first_line")}};
}

// Reads the end of a file whose ids may be wrong. Throws IoError.
nlohmann::json facts_in(std::string_view bytes, const std::filesystem::path& shown_as) {
  const auto fault = [&](std::string_view what) {
    return IoError(fmt::format("{} {}", shown_as.string(), what));
  };
  if (!bytes.starts_with(signature)) {
    throw fault("is not a file of tokens that tapehead wrote");
  }
  if (bytes.size() < signature.size() + 2 * number_bytes) {
    throw fault("is damaged: it is cut off");
  }
  const std::size_t end = bytes.size() - 2 * number_bytes;
  const std::size_t count = number_at(bytes.data() + end, number_bytes);
  const auto facts = nlohmann::json::parse(
      count <= end - signature.size() ? bytes.substr(end - count, count) : std::string_view(),
      nullptr, false);
  if (!facts.contains("documents") || !facts["documents"].is_number_unsigned()) {
    throw fault("is damaged: its end is not what it should be");
  }
  return facts;
}

}  // namespace

Index documents_in(const std::filesystem::path& file) {
  const MappedFile mapped(OpenFile(file, O_RDONLY), file);
  return facts_in(mapped.bytes(), file).at("documents");
}

TokenText::TokenText(const std::filesystem::path& file)
    : TokenText(OpenFile(file, O_RDONLY), file) {}

TokenText::TokenText(const OpenFile& file, const std::filesystem::path& shown_as)
    : file_(std::make_shared<const MappedFile>(file, shown_as)) {
  const std::string_view bytes = file_->bytes();
  const nlohmann::json facts = facts_in(bytes, shown_as);
  const Hash checksum = checksum_of(bytes.substr(0, bytes.size() - number_bytes));
  if (checksum.value() != number_at(bytes.end() - number_bytes, number_bytes)) {
    throw IoError(
        fmt::format("{} is damaged: its content does not match its checksum", shown_as.string()));
  }
  tokens_ = facts.at("tokens");
  width_ = facts.at("token_bytes");
  documents_ = facts.at("documents");
  counts_ = counts_of(facts);
  digest_ = checksum.hexadecimal();
  const std::size_t ids = static_cast<std::size_t>(tokens_) * width_;
  ids_ = bytes.data() + signature.size();
  begins_ = ids_ + ids + padding(ids);
}

TokenId TokenText::operator[](Index i) const {
  const char* id = ids_ + static_cast<std::size_t>(i) * width_;
  return static_cast<TokenId>(width_ == 2 ? number_at(id, 2) : number_at(id, 4));
}

void TokenText::append_to(PoolVector<TokenId>& ids, Index first, Index count) const {
  for (Index i = first; i < first + count; ++i) {
    ids.push_back((*this)[i]);
  }
}

Index TokenText::begin_of(Index document) const {
  const auto before = static_cast<std::size_t>(document - 1);
  return document == 0
             ? 0
             : static_cast<Index>(number_at(begins_ + before * number_bytes, number_bytes));
}

void TokenText::save(const std::filesystem::path& file) const {
  write_file_atomically(file, file_->bytes());
}

TokenTextWriter::TokenTextWriter(Index vocabulary)
    : file_(nameless_file()), width_(width_for(vocabulary)) {
  put(signature);
}

void TokenTextWriter::add(std::span<const TokenId> tokens) {
  for (const TokenId token : tokens) {
    put_number(static_cast<std::uint64_t>(token), width_);
  }
  tokens_ += std::ssize(tokens);
}

void TokenTextWriter::end_document() {
  constexpr TokenId end = end_id;
  add({&end, 1});
  ends_.push_back(static_cast<std::uint64_t>(tokens_));
}

TokenText TokenTextWriter::finish(const TextCounts& counts) {
  put_number(0, padding(static_cast<std::size_t>(tokens_) * width_));
  for (const std::uint64_t end : ends_) {
    put_number(end, number_bytes);
  }
  const std::string facts = facts_json(counts, tokens_, width_, ends_.size()).dump();
  put(facts);
  put_number(facts.size(), number_bytes);
  flush();
  put_number(hash_.value(), number_bytes);
  file_.write(block_);
  return {file_, "the tokens of a text"};
}

void TokenTextWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, block_bytes - block_.size());
    block_ += part;
    bytes.remove_prefix(part.size());
    if (block_.size() == block_bytes) {
      flush();
    }
  }
}

void TokenTextWriter::put_number(std::uint64_t number, std::size_t width) {
  std::array<char, number_bytes> bytes;
  std::memcpy(bytes.data(), &number, number_bytes);
  put({bytes.data(), width});
}

void TokenTextWriter::flush() {
  if (!block_.empty()) {
    hash_.add(block_);
    file_.write(block_);
    block_.clear();
  }
}

}  // namespace tapehead
