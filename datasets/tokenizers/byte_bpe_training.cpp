// Trains a byte-level BPE on the distinct chunks of a text and their counts.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/byte_characters.hpp"
#include "datasets/tokenizers/pair_training.hpp"
#include "datasets/tokenizers/text_chunks.hpp"

namespace tapehead {

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
    CountedWord& added = chunks.emplace_back(CountedWord{.tokens = {}, .count = count});
    for (const char byte : chunk) {
      added.tokens.push_back(ids[static_cast<unsigned char>(byte)]);
    }
  }
  TrainedPairs trained =
      train_pairs(std::move(bytes), std::move(chunks), "", vocabulary - mark_count);
  return {.entries = std::move(trained.entries), .merges = std::move(trained.merges)};
}

}  // namespace tapehead
