// Trains a byte-level BPE (Sennrich et al. 2016, section 3.2) on the distinct chunks of a text and
// their counts. After each merge only the chunks that contain its pair are counted again.
#include <algorithm>
#include <array>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/byte_characters.hpp"
#include "datasets/tokenizers/text_chunks.hpp"

namespace tapehead {

namespace {

constexpr Index least_count = 2;  // of a pair that is merged

struct CountedChunk {
  std::vector<TokenId> tokens;
  Index count;
};

struct PairCount {
  Index count = 0;
  std::vector<std::size_t> chunks;  // that contain the pair, or did; some more than once
};

// As a pair was counted when it last grew; its count may be lower now.
struct PairCandidate {
  Index count;
  TokenPair pair;

  bool operator<(const PairCandidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class PairTraining {
 public:
  explicit PairTraining(std::span<const std::string> lines) {
    for (const ByteCharacter& row : byte_characters()) {
      byte_ids_[static_cast<unsigned char>(row.byte)] = add_entry(row.character);
    }
    for (const auto& [chunk, count] : counts_of_chunks(lines)) {
      CountedChunk& added = chunks_.emplace_back(CountedChunk{{}, count});
      for (const char byte : chunk) {
        added.tokens.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
      }
      count_pairs(added.tokens, count);
      list_chunk(chunks_.size() - 1, [](const TokenPair&) { return true; });
    }
    push_grown();
  }

  // Until there are so many entries, or no pair that occurs often enough.
  BytePairs merged_to(Index entries) {
    while (std::ssize(result_.entries) < entries && !candidates_.empty()) {
      const PairCandidate best = candidates_.top();
      candidates_.pop();
      const Index count = pairs_[best.pair].count;
      if (count < least_count) {
        continue;
      }
      if (count == best.count) {
        merge(best.pair);
      } else {
        candidates_.push({count, best.pair});
      }
    }
    return std::move(result_);
  }

 private:
  static EntryCounts counts_of_chunks(std::span<const std::string> lines) {
    EntryCounts counts;
    for (std::string_view line : lines) {
      while (!line.empty()) {
        const std::string_view chunk = next_chunk(line);
        const auto found = counts.find(chunk);
        if (found == counts.end()) {
          counts.emplace(chunk, 1);
        } else {
          ++found->second;
        }
      }
    }
    return counts;
  }

  // Two merges may give the same entry: "ab" and "c", "a" and "bc".
  TokenId add_entry(const std::string& entry) {
    const auto [at, inserted] =
        ids_.try_emplace(entry, static_cast<TokenId>(result_.entries.size()));
    if (inserted) {
      result_.entries.push_back(entry);
    }
    return at->second;
  }

  const std::string& entry(TokenId id) const {
    return result_.entries[static_cast<std::size_t>(id)];
  }

  void merge(TokenPair pair) {
    result_.merges.emplace_back(entry(pair.first), entry(pair.second));
    const TokenId merged = add_entry(entry(pair.first) + entry(pair.second));
    for (const std::size_t chunk : std::exchange(pairs_[pair].chunks, {})) {
      CountedChunk& counted = chunks_[chunk];
      const std::vector<TokenId> before = counted.tokens;
      merge_in(counted.tokens, pair, merged);
      if (counted.tokens.size() < before.size()) {
        count_pairs(before, -counted.count);
        count_pairs(counted.tokens, counted.count);
        list_chunk(chunk, [&](const TokenPair& other) {
          return other.first == merged || other.second == merged;
        });
      }
    }
    push_grown();
  }

  static void merge_in(std::vector<TokenId>& tokens, TokenPair pair, TokenId merged) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i, ++kept) {
      const bool both =
          tokens[i] == pair.first && i + 1 < tokens.size() && tokens[i + 1] == pair.second;
      tokens[kept] = both ? merged : tokens[i];
      i += both ? 1 : 0;
    }
    tokens.resize(kept);
  }

  void count_pairs(const std::vector<TokenId>& tokens, Index count) {
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      pairs_[{tokens[i - 1], tokens[i]}].count += count;
    }
  }

  // With those of its pairs that are new in it.
  template <class IsNew>
  void list_chunk(std::size_t chunk, const IsNew& is_new) {
    const std::vector<TokenId>& tokens = chunks_[chunk].tokens;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const TokenPair pair{tokens[i - 1], tokens[i]};
      std::vector<std::size_t>& listed = pairs_[pair].chunks;
      if (is_new(pair) && (listed.empty() || listed.back() != chunk)) {
        listed.push_back(chunk);
        grown_.push_back(pair);
      }
    }
  }

  void push_grown() {
    std::ranges::sort(grown_);
    const auto repeated = std::ranges::unique(grown_);
    grown_.erase(repeated.begin(), repeated.end());
    for (const TokenPair& pair : grown_) {
      candidates_.push({pairs_[pair].count, pair});
    }
    grown_.clear();
  }

  BytePairs result_;
  std::unordered_map<std::string, TokenId> ids_;
  std::array<TokenId, 256> byte_ids_{};
  std::vector<CountedChunk> chunks_;
  std::unordered_map<TokenPair, PairCount, TokenPairHash> pairs_;
  std::vector<TokenPair> grown_;  // whose counts the current merge raised
  std::priority_queue<PairCandidate> candidates_;
};

}  // namespace

BytePairs train_byte_bpe(std::span<const std::string> lines, Index vocabulary) {
  return PairTraining(lines).merged_to(vocabulary - mark_count);
}

}  // namespace tapehead
