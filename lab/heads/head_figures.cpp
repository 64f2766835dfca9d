#include "lab/heads/head_figures.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

double ratio(double sum, double count) { return count > 0 ? sum / count : 0; }

Role role_of(const HeadFigures& head, const RoleThresholds& least) {
  const auto lifted = [&](KeyPlace place, double share, double lift) {
    const PlaceFigures& at = head.at(place);
    return at.share >= share && at.share >= lift * at.even;
  };
  if (head.offset_share >= least.positional) {
    return head.offset == -1 ? Role::previous : head.offset == 1 ? Role::next : Role::positional;
  }
  if (lifted(KeyPlace::induction, least.induction, least.induction_lift)) {
    return Role::induction;
  }
  if (lifted(KeyPlace::duplicate, least.duplicate, least.duplicate_lift)) {
    return Role::duplicate;
  }
  if (lifted(KeyPlace::rarest, least.rare, least.rare_lift)) {
    return Role::rare;
  }
  if (lifted(KeyPlace::first, least.first, least.first_lift)) {
    return Role::first;
  }
  if (head.at(KeyPlace::first).share + head.at(KeyPlace::last).share >= least.idle) {
    return Role::idle;
  }
  return head.entropy <= least.content * head.even_entropy ? Role::content : Role::none;
}

// Considers only offsets that at least half of the queries have, and not the outermost ones, which
// stand for many.
void find_offset(HeadFigures& head, const HeadSums& sums) {
  for (Index offset = 1 - reach; offset < reach; ++offset) {
    const auto i = static_cast<std::size_t>(offset + reach);
    const double share = ratio(sums.offset_chosen[i], sums.offset_queries[i]);
    if (2 * sums.offset_queries[i] >= sums.queries && share > head.offset_share) {
      head.offset = offset;
      head.offset_share = share;
    }
  }
}

}  // namespace

HeadFigures figures_of(const HeadSums& sums, const RoleThresholds& thresholds) {
  HeadFigures head;
  head.entropy = ratio(sums.entropy, sums.queries);
  head.even_entropy = ratio(sums.even_entropy, sums.queries);
  head.confidence = ratio(sums.largest, sums.queries);
  for (std::size_t i = 0; i < head.places.size(); ++i) {
    const PlaceSum& place = sums.places[i];
    head.places[i] = {.share = ratio(place.weight, place.queries),
                      .even = ratio(place.even, place.queries)};
  }
  for (std::size_t i = 0; i < head.distance_profile.size(); ++i) {
    head.distance_profile[i] = ratio(sums.offset_weight[i], sums.queries);
  }
  find_offset(head, sums);
  head.role = role_of(head, thresholds);
  return head;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
