#include "datasets/corpus/lanes.hpp"

#include <algorithm>

namespace tapehead {

WindowList lane_windows(const TokenText& text, Index windows, Index lanes, Index context,
                        Index head) {
  WindowList list(context);
  const auto begin_of = [&](Index lane) {
    return std::min(text.size(), windows * lane / lanes * context);
  };
  for (Index lane = 0; lane < lanes; ++lane) {
    list.add({.begin = begin_of(lane),
              .end = begin_of(lane + 1),
              .head = head,
              .step = context,
              .opens = lane == 0});
  }
  return list;
}

std::vector<LaneGroup> lane_groups(Index lanes, Index together) {
  std::vector<LaneGroup> groups;
  for (Index first = 0; first < lanes; first += together) {
    groups.push_back({.first = first, .count = std::min(together, lanes - first)});
  }
  return groups;
}

std::vector<std::vector<Index>> lane_batches(const WindowList& windows, const LaneGroup& group) {
  std::vector<std::vector<Index>> batches;
  for (Index lane = group.first; lane < group.first + group.count; ++lane) {
    for (Index i = 0; i < windows.count_of(lane); ++i) {
      if (i == std::ssize(batches)) {
        batches.emplace_back();
      }
      batches[static_cast<std::size_t>(i)].push_back(windows.first_of(lane) + i);
    }
  }
  return batches;
}

std::vector<std::vector<Index>> lane_batches(const WindowList& windows,
                                             const std::vector<LaneGroup>& groups) {
  std::vector<std::vector<std::vector<Index>>> by_group;
  std::size_t most = 0;
  for (const LaneGroup& group : groups) {
    by_group.push_back(lane_batches(windows, group));
    most = std::max(most, by_group.back().size());
  }
  std::vector<std::vector<Index>> batches;
  for (std::size_t i = 0; i < most; ++i) {
    for (const auto& of_group : by_group) {
      if (i < of_group.size()) {
        batches.push_back(of_group[i]);
      }
    }
  }
  return batches;
}

}  // namespace tapehead
