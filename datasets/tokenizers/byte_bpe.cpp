#include "datasets/tokenizers/byte_bpe.hpp"

#include <unordered_set>

#include "core/text.hpp"

namespace tapehead {

namespace {

// Printable in Latin-1: not the space, the no-break space or the soft hyphen.
bool is_printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

// A code point below U+0800 in UTF-8.
std::string utf8(int code_point) {
  if (code_point < 0x80) {
    return std::string(1, static_cast<char>(code_point));
  }
  return {static_cast<char>(0xC0 | (code_point >> 6)),
          static_cast<char>(0x80 | (code_point & 0x3F))};
}

constexpr char between_sides = ' ';  // sides of a merge; no byte character is a space

// Spells entries in byte characters if they are not; a mark may have other characters.
BytePairs in_byte_characters(BytePairs pairs) {
  std::unordered_set<std::string_view> seen;
  for (std::string& entry : pairs.entries) {
    if (!bytes_of_spelling(entry)) {
      entry = spelled_bytes(entry);
    }
    if (!seen.insert(entry).second) {
      throw DataError("the entry `{}` occurs twice", entry);
    }
  }
  return pairs;
}

}  // namespace

const std::array<ByteCharacter, 256>& byte_characters() {
  static const auto table = [] {
    std::array<ByteCharacter, 256> rows;
    auto next = rows.begin();
    for (const bool printable : {true, false}) {
      int shifted = 0x100;
      for (int byte = 0; byte < 256; ++byte) {
        if (is_printable(byte) == printable) {
          *next++ = {static_cast<char>(byte), utf8(printable ? byte : shifted++)};
        }
      }
    }
    return rows;
  }();
  return table;
}

std::string spelled_bytes(std::string_view bytes) {
  std::string spelled;
  for (const char byte : bytes) {
    spelled += std::ranges::find(byte_characters(), byte, &ByteCharacter::byte)->character;
  }
  return spelled;
}

std::optional<std::string> bytes_of_spelling(std::string_view spelled) {
  const auto& rows = byte_characters();  // in the order of their characters
  std::string text;
  for (const std::string_view character : units_of(spelled, Unit::character)) {
    const auto* const found =
        std::ranges::lower_bound(rows, character, {}, &ByteCharacter::character);
    if (found == rows.end() || found->character != character) {
      return std::nullopt;
    }
    text += found->byte;
  }
  return text;
}

ByteBpe::ByteBpe(BytePairs pairs)
    : pairs_(in_byte_characters(std::move(pairs))),
      vocabulary_(pairs_.entries),
      merges_(checked_merges()) {
  for (const ByteCharacter& row : byte_characters()) {
    const TokenId id = vocabulary_.id(row.character);
    if (id == unknown_id) {
      throw DataError("the byte {:02X} has no entry (`{}`)", static_cast<unsigned char>(row.byte),
                      row.character);
    }
    byte_ids_[static_cast<unsigned char>(row.byte)] = id;
  }
  for (const std::string& entry : pairs_.entries) {
    const std::string& bytes = bytes_.emplace_back(*bytes_of_spelling(entry));
    const std::vector<TokenId> tokens = merges_.merge(tokens_of_bytes(bytes));
    if (tokens.size() == 1) {
      whole_chunks_.emplace(bytes, tokens.front());
    }
  }
}

MergeTable ByteBpe::checked_merges() const {
  MergeTable merges;
  for (const auto& [left, right] : pairs_.merges) {
    const std::string both = left + right;
    for (const std::string& entry : {left, right, both}) {
      if (vocabulary_.id(entry) == unknown_id) {
        throw DataError("the merge of `{}` and `{}` needs the entry `{}`, which is missing", left,
                        right, entry);
      }
    }
    merges.add({vocabulary_.id(left), vocabulary_.id(right)}, vocabulary_.id(both));
  }
  return merges;
}

std::vector<TokenId> ByteBpe::tokens_of_bytes(std::string_view bytes) const {
  return mapped(bytes, [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; });
}

std::vector<TokenId> ByteBpe::encode(std::string_view text) const {
  std::vector<TokenId> tokens;
  while (!text.empty()) {
    const std::string_view chunk = next_chunk(text);
    if (const auto whole = whole_chunks_.find(chunk); whole != whole_chunks_.end()) {
      tokens.push_back(whole->second);
      continue;
    }
    std::ranges::copy(merges_.merge(tokens_of_bytes(chunk)), std::back_inserter(tokens));
  }
  return tokens;
}

std::string ByteBpe::decode(const std::vector<TokenId>& tokens) const {
  std::string text;
  for (const TokenId token : tokens) {
    if (token >= mark_count && token < size()) {
      text += bytes_[static_cast<std::size_t>(token - mark_count)];
    } else if (token != begin_id && token != end_id) {
      text += unknown_mark_text;
    }
  }
  return text;
}

std::string ByteBpe::entry(TokenId token) const {
  if (token < mark_count || token >= size()) {
    return vocabulary_.entry(token);
  }
  std::string shown;
  const std::string& bytes = bytes_[static_cast<std::size_t>(token - mark_count)];
  for (const std::string_view character : units_of(bytes, Unit::character)) {
    if (utf8_length(character) == 0) {
      shown += fmt::format("<{:02X}>", static_cast<unsigned char>(character.front()));
    } else {
      shown += character == " " ? space_shown : character == line_end ? "\\n" : character;
    }
  }
  return shown;
}

// The file holds the entries, then the merges with their two sides apart.
void ByteBpe::save(const fs::path& stem) const {
  std::vector<std::string> lines = pairs_.entries;
  for (const auto& [left, right] : pairs_.merges) {
    lines.push_back(left + between_sides + right);
  }
  save_vocabulary(lines, kind, stem);
}

BytePairs byte_pairs_of(const std::vector<std::string>& saved) {
  BytePairs pairs;
  for (const std::string& line : saved) {
    const std::size_t space = line.find(between_sides);
    if (space == std::string::npos) {
      pairs.entries.push_back(line);
    } else {
      pairs.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    }
  }
  return pairs;
}

// Counts the distinct chunks of the text, and trains on these.
BytePairs train_byte_bpe(std::span<const std::string> lines, Index vocabulary) {
  EntryCounts counts;
  for (std::string_view line : lines) {
    while (!line.empty()) {
      count_entry(next_chunk(line), counts);
    }
  }
  std::vector<std::string> bytes;
  std::array<TokenId, 256> ids{};
  for (const ByteCharacter& row : byte_characters()) {
    ids[static_cast<unsigned char>(row.byte)] = static_cast<TokenId>(bytes.size());
    bytes.push_back(row.character);
  }
  std::vector<CountedWord> chunks;
  chunks.reserve(counts.size());
  for (const auto& [chunk, count] : counts) {
    const auto id_of = [&](char byte) { return ids[static_cast<unsigned char>(byte)]; };
    chunks.push_back({.tokens = mapped(chunk, id_of), .count = count});
  }
  return train_pairs(std::move(bytes), std::move(chunks), "", vocabulary - mark_count);
}

}  // namespace tapehead
