#include "datasets/tokenizers/merge_table.hpp"

#include <queue>

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr TokenId merged_away = -1;
constexpr Index no_place = -1;

// A token in the linked list of the remaining tokens.
struct Link {
  TokenId token;
  Index before;
  Index after;
};

// Ordered by rank, then from left to right.
struct Candidate {
  Index rank;
  Index place;  // of the pair's left token
  TokenPair pair;

  bool operator>(const Candidate& other) const {
    return std::tie(rank, place) > std::tie(other.rank, other.place);
  }
};

class LinkedTokens {
 public:
  explicit LinkedTokens(const std::vector<TokenId>& tokens) {
    const Index count = std::ssize(tokens);
    for (Index i = 0; i < count; ++i) {
      links_.push_back({.token = tokens[static_cast<std::size_t>(i)],
                        .before = i - 1,
                        .after = i + 1 < count ? i + 1 : no_place});
    }
  }

  Link& at(Index place) { return links_[static_cast<std::size_t>(place)]; }

  bool holds(Index place, TokenPair pair) {
    const Link& left = at(place);
    return left.token == pair.first && left.after != no_place &&
           at(left.after).token == pair.second;
  }

  void replace(Index place, TokenId merged) {
    Link& left = at(place);
    Link& right = at(left.after);
    right.token = merged_away;
    left.token = merged;
    left.after = right.after;
    if (left.after != no_place) {
      at(left.after).before = place;
    }
  }

  std::vector<TokenId> remaining() {
    std::vector<TokenId> tokens;
    for (Index place = links_.empty() ? no_place : 0; place != no_place; place = at(place).after) {
      tokens.push_back(at(place).token);
    }
    return tokens;
  }

 private:
  std::vector<Link> links_;
};

constexpr Index least_count = 2;  // of a pair that is merged

struct PairCount {
  Index count = 0;
  std::vector<std::size_t> words;  // that have or had the pair; a word may repeat
};

// A pair, with its count when the count last rose; the count may be lower now.
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

  // Merges until there are `entries` entries, or until no pair occurs often enough.
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

  // Lists the word at each of its pairs for which `is_new` holds.
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
  std::vector<TokenPair> grown_;  // pairs whose counts the current merge raised
  std::priority_queue<PairCandidate> candidates_;
};

// A piece of the word, and the score of merging it with the next one.
struct Part {
  std::string_view text;
  std::optional<float> with_next;
};

// `parts[first]` and the next part are adjacent in the word.
std::optional<float> score_of_pair(const std::vector<Part>& parts, std::size_t first,
                                   const PieceScore& score) {
  if (first + 1 >= parts.size()) {
    return std::nullopt;
  }
  const std::string_view left = parts[first].text;
  return score({left.data(), left.size() + parts[first + 1].text.size()});
}

std::size_t best_pair(const std::vector<Part>& parts) {
  std::size_t best = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].with_next &&
        (best == parts.size() || parts[i].with_next > parts[best].with_next)) {
      best = i;
    }
  }
  return best;
}

}  // namespace

MergeTable::MergeTable(const std::vector<Merge>& merges) {
  merges_.reserve(merges.size());
  for (const Merge& merge : merges) {
    merges_.try_emplace(merge.pair, Ranked{static_cast<Index>(merges_.size()), merge.merged});
  }
}

const MergeTable::Ranked* MergeTable::find(TokenPair pair) const {
  const auto found = merges_.find(pair);
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<TokenId> MergeTable::merge(const std::vector<TokenId>& tokens) const {
  LinkedTokens linked(tokens);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](Index place) {
    if (place == no_place || linked.at(place).after == no_place) {
      return;
    }
    const TokenPair pair{linked.at(place).token, linked.at(linked.at(place).after).token};
    if (const Ranked* const ranked = find(pair)) {
      candidates.push({.rank = ranked->rank, .place = place, .pair = pair});
    }
  };
  for (Index place = 0; place < std::ssize(tokens); ++place) {
    consider(place);
  }
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    if (!linked.holds(best.place, best.pair)) {
      continue;  // one of the two tokens has been merged since
    }
    linked.replace(best.place, find(best.pair)->merged);
    consider(linked.at(best.place).before);
    consider(best.place);
  }
  return linked.remaining();
}

TrainedPairs train_pairs(std::vector<std::string> entries, std::vector<CountedWord> words,
                         std::string_view goes_on, Index limit) {
  return PairTraining(std::move(entries), std::move(words), goes_on).merged_to(limit);
}

std::vector<std::string_view> merge_with_dropout(std::string_view word, const PieceScore& score,
                                                 double probability, const Draws& draws,
                                                 std::uint64_t& draw) {
  std::vector<Part> parts;
  while (!word.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(word));
    parts.push_back({.text = word.substr(0, length), .with_next = std::nullopt});
    word.remove_prefix(length);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].with_next = score_of_pair(parts, i, score);
  }
  for (std::size_t best = best_pair(parts); best < parts.size(); best = best_pair(parts)) {
    if (draw_uniform(draws, draw++) < probability) {
      parts[best].with_next.reset();
      continue;
    }
    const auto next = parts.begin() + static_cast<std::ptrdiff_t>(best) + 1;
    parts[best].text = {parts[best].text.data(), parts[best].text.size() + next->text.size()};
    parts.erase(next);
    parts[best].with_next = score_of_pair(parts, best, score);
    if (best > 0) {
      parts[best - 1].with_next = score_of_pair(parts, best - 1, score);
    }
  }
  std::vector<std::string_view> pieces;
  for (const Part& part : parts) {
    pieces.push_back(part.text);
  }
  return pieces;
}

}  // namespace tapehead
