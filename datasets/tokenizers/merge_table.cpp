#include "datasets/tokenizers/merge_table.hpp"

#include <functional>
#include <queue>
#include <tuple>

namespace tapehead {

namespace {

constexpr TokenId merged_away = -1;
constexpr Index no_place = -1;

// A token, in a list of those that are left.
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
      continue;  // one of the two has been merged since
    }
    linked.replace(best.place, find(best.pair)->merged);
    consider(linked.at(best.place).before);
    consider(best.place);
  }
  return linked.remaining();
}

}  // namespace tapehead
