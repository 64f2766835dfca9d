// Groups of heads that share keys. Heads are removed in sets, so that all groups that remain have
// the same size.
#pragma once

#include <functional>
#include <vector>

#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The remaining heads of one attention, in groups that share keys. Without sharing, each head is
// its own group.
class HeadGroups {
 public:
  explicit HeadGroups(const AttentionSpec& spec);

  // The smallest sets that can be removed: each whole group; and a set with one head from each
  // group, the one with the smallest slope.
  std::vector<std::vector<Index>> removable(const std::function<double(Index head)>& slope) const;

  // `heads`: one of the sets.
  void remove(const std::vector<Index>& heads);

  // As many of these heads as can be removed together.
  std::vector<Index> removable_among(const std::vector<Index>& heads) const;

  // The numbers of heads that can be removed, in one set after the other; 0 is one of them.
  std::vector<Index> reachable() const;

 private:
  std::vector<std::vector<Index>> groups_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
