#include "datasets/tokenizers/merge_table.hpp"

#include <queue>

#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

constexpr TokenId merged_away = -1;

// The rank, the place of the pair's left token, and the pair. Lower ranks come first, and of equal
// ranks the left one.
using Candidate = std::tuple<Index, std::size_t, TokenPair>;

constexpr Index least_count = 2;  // of a pair that is merged

struct PairCount {
  Index count = 0;
  std::vector<std::size_t> words;  // that have or had the pair; a word may repeat
};

// The negative count of a pair when the count last rose, and the pair; the count may be lower now.
// The least candidate is the one to merge.
using PairCandidate = std::pair<Index, TokenPair>;

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

  // Merges until there are `entries` entries, or until no pair occurs often enough.
  BytePairs merged_to(Index entries) {
    while (std::ssize(result_.entries) < entries && !candidates_.empty()) {
      const auto [negative, pair] = candidates_.top();
      candidates_.pop();
      const Index count = pairs_[pair].count;
      if (count < least_count) {
        continue;
      }
      if (count == -negative) {
        merge(pair);
      } else {
        candidates_.emplace(-count, pair);
      }
    }
    return std::move(result_);
  }

 private:
  const std::string& entry(TokenId id) const {
    return result_.entries[static_cast<std::size_t>(id)];
  }

  void merge(TokenPair pair) {
    result_.merges.emplace_back(entry(pair.first), entry(pair.second));
    // Two merges may give the same entry: "ab" and "c", "a" and "bc".
    const auto [at, inserted] =
        ids_.try_emplace(entry(pair.first) + entry(pair.second).substr(goes_on_.size()),
                         static_cast<TokenId>(result_.entries.size()));
    if (inserted) {
      result_.entries.push_back(at->first);
    }
    const TokenId merged = at->second;
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

  // Lists the word at each of its pairs for which `is_new` holds.
  void list_word(std::size_t word, const auto& is_new) {
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
      candidates_.emplace(-pairs_[pair].count, pair);
    }
    grown_.clear();
  }

  BytePairs result_;
  std::unordered_map<std::string, TokenId> ids_;
  std::vector<CountedWord> words_;
  std::string_view goes_on_;
  std::unordered_map<TokenPair, PairCount, TokenPairHash> pairs_;
  std::vector<TokenPair> grown_;  // pairs whose counts the current merge raised
  std::priority_queue<PairCandidate, std::vector<PairCandidate>, std::greater<>> candidates_;
};

// A piece of the word, and the score of merging it with the next one.
struct Part {
  std::string_view text;
  std::optional<float> with_next;
};

}  // namespace

const MergeTable::Ranked* MergeTable::find(TokenPair pair) const {
  const auto found = merges_.find(pair);
  return found == merges_.end() ? nullptr : &found->second;
}

// The tokens that are not merged away are a linked list.
std::vector<TokenId> MergeTable::merge(std::vector<TokenId> tokens) const {
  struct Link {
    std::size_t before, after;  // places of the neighbours, or `none`
  };
  const std::size_t none = tokens.size();
  std::vector<Link> links;
  for (std::size_t place = 0; place < none; ++place) {
    links.push_back({place == 0 ? none : place - 1, place + 1});
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::size_t place) {
    if (place != none && links[place].after != none) {
      const TokenPair pair{tokens[place], tokens[links[place].after]};
      if (const Ranked* const ranked = find(pair)) {
        candidates.emplace(ranked->rank, place, pair);
      }
    }
  };
  for (std::size_t place = 0; place < none; ++place) {
    consider(place);
  }
  while (!candidates.empty()) {
    const auto [rank, place, pair] = candidates.top();
    candidates.pop();
    const std::size_t next = links[place].after;
    if (tokens[place] != pair.first || next == none || tokens[next] != pair.second) {
      continue;  // one of the two tokens has been merged since
    }
    tokens[place] = find(pair)->merged;
    tokens[next] = merged_away;
    links[place].after = links[next].after;
    if (links[place].after != none) {
      links[links[place].after].before = place;
    }
    consider(links[place].before);
    consider(place);
  }
  std::erase(tokens, merged_away);
  return tokens;
}

BytePairs train_pairs(std::vector<std::string> entries, std::vector<CountedWord> words,
                      std::string_view goes_on, Index limit) {
  return PairTraining(std::move(entries), std::move(words), goes_on).merged_to(limit);
}

std::vector<std::string_view> merge_with_dropout(std::string_view word, const PieceScore& score,
                                                 double probability, const Draws& draws,
                                                 std::uint64_t& draw) {
  std::vector<Part> parts = mapped(units_of(word, Unit::character), [](std::string_view character) {
    return Part{.text = character, .with_next = {}};
  });
  // A part and the next one are adjacent in the word.
  const auto merged_text = [&](std::size_t i) {
    return std::string_view(parts[i].text.data(), parts[i].text.size() + parts[i + 1].text.size());
  };
  const auto update_score = [&](std::size_t i) {
    parts[i].with_next = i + 1 < parts.size() ? score(merged_text(i)) : std::nullopt;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    update_score(i);
  }
  const auto best_merge = [&] {  // nullopt is the lowest score
    return std::ranges::max_element(parts, {}, &Part::with_next);
  };
  for (auto best = best_merge(); best != parts.end() && best->with_next; best = best_merge()) {
    if (draw_uniform(draws, draw++) < probability) {
      best->with_next.reset();
      continue;
    }
    const auto i = static_cast<std::size_t>(best - parts.begin());
    best->text = merged_text(i);
    parts.erase(best + 1);
    update_score(i);
    if (i > 0) {
      update_score(i - 1);
    }
  }
  return mapped(parts, &Part::text);
}

}  // namespace tapehead
