#include "datasets/corpus/token_text.hpp"

#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "core/files/json_text.hpp"

namespace tapehead {

namespace {

// The file holds a signature, the ids, zeros up to a multiple of 8 bytes, the end of each document,
// the facts as JSON, the length of the JSON, and a checksum. Numbers are little-endian.
static_assert(std::endian::native == std::endian::little);
constexpr std::string_view signature = "tapehead-tokens\n";
constexpr std::size_t number_bytes = sizeof(std::uint64_t);
constexpr std::size_t block_bytes = std::size_t{1} << 20;  // the checksum is over such blocks
constexpr int for_mapping = O_RDONLY | O_NONBLOCK;  // opening a pipe does not wait for its writer

std::uint64_t number_at(const char* bytes, std::size_t width) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, width);
  return number;
}

std::size_t padding(std::size_t bytes) {
  return (number_bytes - bytes % number_bytes) % number_bytes;
}

// Checks the facts against the size of the file, but does not check the ids. Throws IoError.
TextFacts facts_in(std::string_view bytes, const fs::path& shown_as) {
  const std::string damaged = shown_as.string() + " is damaged";
  if (!bytes.starts_with(signature)) {
    throw IoError("{} is not a file of tokens that tapehead wrote", shown_as.string());
  }
  if (bytes.size() < signature.size() + 2 * number_bytes) {
    throw IoError(damaged + ": it is cut off");
  }
  const std::size_t end = bytes.size() - 2 * number_bytes;
  const std::size_t count = number_at(bytes.data() + end, number_bytes);
  if (count > end - signature.size()) {
    throw IoError(damaged + ": a length in it is larger than the file");
  }
  const auto body = static_cast<Index>(end - count - signature.size());
  const auto json = parse_json(bytes.substr(end - count, count), damaged);
  const JsonObject object(json, damaged);
  const Index width = object.count("token_bytes", 2, 4);
  TextFacts facts{.tokens = object.count("tokens", 1, body / width),
                  .width = width,
                  .documents = object.count("documents", 1, body / Index{number_bytes})};
  const JsonObject unknown(object.member("unknown"), damaged);
  const Index of = unknown.count("of");
  const Index tokens = unknown.count("tokens", 0, of);
  facts.counts = {.bytes = object.count("bytes"),
                  .words = object.count("words"),
                  .unknown = {.tokens = tokens,
                              .lines = unknown.count("lines", 0, tokens),
                              .of = of,
                              .first = unknown.text("first"),
                              .first_line = unknown.count("first_line")}};
  const auto ids = static_cast<std::size_t>(facts.tokens * width);
  const std::size_t needed =
      ids + padding(ids) + static_cast<std::size_t>(facts.documents) * number_bytes;
  if (width == 3 || static_cast<Index>(needed) != body) {
    throw IoError(
        "{}: {} tokens of {} bytes each and the ends of {} documents need {} bytes, and it has {}",
        damaged, facts.tokens, width, facts.documents, needed, body);
  }
  return facts;
}

}  // namespace

Index documents_in(const fs::path& file) {
  const MappedFile mapped(OpenFile(file, for_mapping), file);
  return facts_in(mapped.bytes(), file).documents;
}

TokenText::TokenText(const fs::path& file) : TokenText(OpenFile(file, for_mapping), file) {}

TokenText::TokenText(const OpenFile& file, const fs::path& shown_as)
    : file_(std::make_shared<const MappedFile>(file, shown_as)) {
  const std::string_view bytes = file_->bytes();
  facts_ = facts_in(bytes, shown_as);
  Hash checksum;
  for (auto rest = bytes.substr(0, bytes.size() - number_bytes); !rest.empty();) {
    checksum.add(rest.substr(0, block_bytes));
    rest.remove_prefix(std::min(block_bytes, rest.size()));
  }
  if (checksum.value() != number_at(bytes.end() - number_bytes, number_bytes)) {
    throw IoError("{} is damaged: its content does not match its checksum", shown_as.string());
  }
  digest_ = checksum.hexadecimal();
  const auto ids = static_cast<std::size_t>(facts_.tokens * facts_.width);
  ids_ = bytes.data() + signature.size();
  begins_ = ids_ + ids + padding(ids);
  for (Index document = 0; document < facts_.documents; ++document) {
    const Index end = begin_of(document + 1);
    if (end <= begin_of(document) || (document == facts_.documents - 1 && end != facts_.tokens)) {
      throw IoError("{} is damaged: its document {} of {} ends at token {} of {}",
                    shown_as.string(), document + 1, facts_.documents, end, facts_.tokens);
    }
  }
}

TokenId TokenText::operator[](Index i) const {
  const char* id = ids_ + i * facts_.width;
  return static_cast<TokenId>(facts_.width == 2 ? number_at(id, 2) : number_at(id, 4));
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

void TokenText::save(const fs::path& file) const { write_file_atomically(file, file_->bytes()); }

TokenTextWriter::TokenTextWriter(Index vocabulary)
    : file_(nameless_file()), width_(vocabulary <= 65536 ? 2 : 4) {
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
  const nlohmann::json json{{"tokens", tokens_},
                            {"token_bytes", width_},
                            {"documents", ends_.size()},
                            {"bytes", counts.bytes},
                            {"words", counts.words},
                            {"unknown",
                             {{"tokens", counts.unknown.tokens},
                              {"lines", counts.unknown.lines},
                              {"of", counts.unknown.of},
                              {"first", counts.unknown.first},
                              {"first_line", counts.unknown.first_line}}}};
  const std::string facts = json.dump();
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
