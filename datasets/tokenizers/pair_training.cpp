#include "datasets/tokenizers/pair_training.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "datasets/tokenizers/merge_table.hpp"

namespace tapehead {

namespace {

constexpr Index least_count = 2;  // of a pair that is merged

struct PairCount {
  Index count = 0;
  std::vector<std::size_t> words;  // that contain the pair, or did; some more than once
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
  PairTraining(std::vector<std::string> entries, std::vector<CountedWord> words,
               std::string_view goes_on)
      : result_{.entries = std::move(entries), .merges = {}},
        words_(std::move(words)),
        goes_on_(goes_on) {
    for (const std::string& entry : result_.entries) {
      ids_.try_emplace(entry, static_cast<TokenId>(ids_.size()));
    }
    for (std::size_t word = 0; word < words_.size(); ++word) {
      count_pairs(words_[word].tokens, words_[word].count);
      list_word(word, [](const TokenPair&) { return true; });
    }
    push_grown();
  }

  // Until there are so many entries, or no pair that occurs often enough.
  TrainedPairs merged_to(Index entries) {
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
    const TokenId merged =
        add_entry(entry(pair.first) + entry(pair.second).substr(goes_on_.size()));
    for (const std::size_t word : std::exchange(pairs_[pair].words, {})) {
      CountedWord& counted = words_[word];
      const std::vector<TokenId> before = counted.tokens;
      merge_in(counted.tokens, pair, merged);
      if (counted.tokens.size() < before.size()) {
        count_pairs(before, -counted.count);
        count_pairs(counted.tokens, counted.count);
        list_word(word, [&](const TokenPair& other) {
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
  void list_word(std::size_t word, const IsNew& is_new) {
    const std::vector<TokenId>& tokens = words_[word].tokens;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const TokenPair pair{tokens[i - 1], tokens[i]};
      std::vector<std::size_t>& listed = pairs_[pair].words;
      if (is_new(pair) && (listed.empty() || listed.back() != word)) {
        listed.push_back(word);
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

  TrainedPairs result_;
  std::unordered_map<std::string, TokenId> ids_;
  std::vector<CountedWord> words_;
  std::string_view goes_on_;
  std::unordered_map<TokenPair, PairCount, TokenPairHash> pairs_;
  std::vector<TokenPair> grown_;  // whose counts the current merge raised
  std::priority_queue<PairCandidate> candidates_;
};

}  // namespace

TrainedPairs train_pairs(std::vector<std::string> entries, std::vector<CountedWord> words,
                         std::string_view goes_on, Index limit) {
  return PairTraining(std::move(entries), std::move(words), goes_on).merged_to(limit);
}

}  // namespace tapehead
