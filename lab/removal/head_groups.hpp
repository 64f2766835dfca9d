// Heads that share keys are removed in sets: what is left has to be groups of one size again.
#pragma once

#include <functional>
#include <vector>

#include "nn/attention/attention.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The heads of one attention that are left, in groups that share keys; without sharing, each head
// is a group of its own.
class HeadGroups {
 public:
  explicit HeadGroups(const AttentionSpec& spec);

  // The smallest sets that can go: each whole group, and one head from each group, that with the
  // least slope.
  std::vector<std::vector<Index>> removable(const std::function<double(Index head)>& slope) const;

  // `heads`: one of the sets.
  void remove(const std::vector<Index>& heads);

  // Of these heads as many as can go together.
  std::vector<Index> removable_among(const std::vector<Index>& heads) const;

  // How many heads can go, in one set after the other: each number that can be reached, 0 included.
  std::vector<Index> reachable() const;

 private:
  std::vector<std::vector<Index>> groups_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
