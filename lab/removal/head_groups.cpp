// Heads that share keys are removed in sets, so that all groups that remain have the same size.
#include "lab/removal/head_removal.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

bool contains(const std::vector<Index>& heads, Index head) {
  return std::ranges::count(heads, head) > 0;
}

}  // namespace

HeadGroups::HeadGroups(const AttentionSpec& spec)
    : groups_(static_cast<std::size_t>(spec.kv_heads)) {
  for (Index head = 0; head < spec.heads; ++head) {
    groups_[static_cast<std::size_t>(head / (spec.heads / spec.kv_heads))].push_back(head);
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

std::vector<std::vector<Index>> HeadGroups::removable(
    const std::function<double(Index head)>& slope) const {
  std::vector<std::vector<Index>> sets = groups_;
  if (!groups_.empty() && groups_.front().size() > 1) {
    std::vector<Index>& one_of_each = sets.emplace_back();
    for (const std::vector<Index>& group : groups_) {
      one_of_each.push_back(*std::ranges::min_element(group, {}, slope));
    }
  }
  return sets;
}

void HeadGroups::remove(const std::vector<Index>& heads) {
  for (std::vector<Index>& group : groups_) {
    std::erase_if(group, [&](Index head) { return contains(heads, head); });
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

std::vector<Index> HeadGroups::removable_among(const std::vector<Index>& heads) const {
  std::vector<Index> going;
  std::vector<std::vector<Index>> parts;  // for each remaining group the heads that may be removed
  for (const std::vector<Index>& group : groups_) {
    std::vector<Index> part;
    std::ranges::copy_if(group, std::back_inserter(part),
                         [&](Index head) { return contains(heads, head); });
    if (part.size() == group.size()) {
      going.insert(going.end(), part.begin(), part.end());
    } else {
      parts.push_back(std::move(part));
    }
  }
  if (!parts.empty()) {
    const std::size_t each =
        std::ranges::min_element(parts, {}, [](const auto& part) { return part.size(); })->size();
    for (const std::vector<Index>& part : parts) {
      going.insert(going.end(), part.begin(), part.begin() + static_cast<Index>(each));
    }
  }
  return going;
}

std::set<Index> HeadGroups::reachable() const {
  const auto groups = static_cast<Index>(groups_.size());
  const auto size = groups_.empty() ? Index{0} : static_cast<Index>(groups_.front().size());
  std::set<Index> numbers;
  for (Index left = 0; left <= groups; ++left) {
    for (Index each = 0; each <= size; ++each) {
      numbers.insert(groups * size - left * each);
    }
  }
  return numbers;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
