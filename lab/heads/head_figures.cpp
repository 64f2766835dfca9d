#include "lab/heads/head_figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::optional<double> ratio(double sum, double count) {
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Role role_of(const HeadFigures& head, const RoleThresholds& least) {
  const auto lifted = [&](KeyPlace place, double share, double lift) {
    const PlaceFigures& at = head.at(place);
    return at.share >= share && at.share >= lift * *at.even;
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
  const auto weight_on = [&](KeyPlace place) { return head.at(place).share.value_or(0); };
  if (weight_on(KeyPlace::first) + weight_on(KeyPlace::last) >= least.idle) {
    return Role::idle;
  }
  const bool chooses = head.even_entropy > 0;
  return chooses && head.entropy <= least.content * *head.even_entropy ? Role::content : Role::none;
}

// Considers only offsets that at least half of the queries have, and not the outermost ones, which
// stand for many.
void find_offset(HeadFigures& head, const HeadSums& sums) {
  for (Index offset = 1 - reach; offset < reach; ++offset) {
    const auto i = static_cast<std::size_t>(offset + reach);
    const auto share = ratio(sums.offset_chosen[i], sums.offset_queries[i]);
    if (2 * sums.offset_queries[i] >= sums.queries && share > head.offset_share) {
      head.offset = share > 0 ? std::optional(offset) : std::nullopt;
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
    if (place.even > 0) {
      head.places[i] = {.share = ratio(place.weight, place.queries),
                        .even = ratio(place.even, place.queries)};
    }
  }
  for (std::size_t i = 0; i < head.distance_profile.size(); ++i) {
    if (sums.offset_queries[i] > 0) {
      head.distance_profile[i] = ratio(sums.offset_weight[i], sums.queries);
    }
  }
  find_offset(head, sums);
  head.role = role_of(head, thresholds);
  return head;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
