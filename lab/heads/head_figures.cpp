#include "lab/heads/head_figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::optional<double> ratio(double sum, double count) {
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Role role_of(const HeadFigures& head) {
  constexpr RoleThresholds least{};
  if (head.offset_share >= least.positional) {
    return head.offset == -1 ? Role::previous : head.offset == 1 ? Role::next : Role::positional;
  }
  for (const auto& [role, place, share, lift] :
       {std::tuple(Role::induction, "weight_on.induction", least.induction, least.induction_lift),
        std::tuple(Role::duplicate, "weight_on.duplicate", least.duplicate, least.duplicate_lift),
        std::tuple(Role::rare, "weight_on.rarest", least.rare, least.rare_lift),
        std::tuple(Role::first, "weight_on.first", least.first, least.first_lift)}) {
    const MeanFigure at = head.at(place);
    if (at.value >= share && at.value >= lift * *at.even) {
      return role;
    }
  }
  const auto weight_on = [&](std::string_view end) { return head.at(end).value.value_or(0); };
  if (weight_on("weight_on.first") + weight_on("weight_on.last") >= least.idle) {
    return Role::idle;
  }
  const MeanFigure entropy = head.at("entropy");
  return entropy.even > 0 && entropy.value <= least.content * *entropy.even ? Role::content
                                                                            : Role::none;
}

// Of offsets that at least half of the queries have, without the outermost, which stand for many.
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

HeadFigures figures_of(const HeadSums& sums, const std::vector<HeadFigureRow>& rows) {
  HeadFigures head;
  for (std::size_t i = 0; i < sums.means.size(); ++i) {
    const MeanSum& mean = sums.means[i];
    const bool nowhere = rows[i].format == as_percent && rows[i].even && mean.even == 0;
    if (mean.queries > 0 && !nowhere) {
      head.means[rows[i].key] = {.value = ratio(mean.value, mean.queries),
                                 .even = ratio(mean.even, mean.queries)};
    }
  }
  for (std::size_t i = 0; i < head.distance_profile.size(); ++i) {
    if (sums.offset_queries[i] > 0) {
      head.distance_profile[i] = ratio(sums.offset_weight[i], sums.queries);
    }
  }
  find_offset(head, sums);
  head.role = role_of(head);
  return head;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
