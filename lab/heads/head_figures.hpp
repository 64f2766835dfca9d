// The figures of one head, from its sums over a split: means and, if one fits, a role.
#pragma once

#include "lab/heads/head_sums.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

enum class Role {
  previous,
  next,
  positional,
  induction,
  duplicate,
  rare,
  first,
  idle,
  content,
  none
};
constexpr std::array<std::string_view, 10> role_names{
    "previous token", "next token",  "positional", "induction", "duplicate token",
    "rare token",     "first token", "idle",       "content",   "none"};
constexpr std::string_view name_of(Role role) { return role_names[static_cast<std::size_t>(role)]; }

// The thresholds of the roles. They are tried in the order of `Role`, and the first one that is met
// gives the head's role. Shares, of queries or of weights, count only queries for which the place
// exists. A `lift` is how many times the share must be that of an even spread.
struct RoleThresholds {
  double positional = 0.9;  // of queries, at one offset (Voita et al. 2019, section 5)
  double induction = 0.4;   // of weight, behind the query's own token (Olsson et al. 2022)
  double induction_lift = 2;
  double duplicate = 0.4;  // on earlier occurrences of the token (Wang et al. 2022)
  double duplicate_lift = 2;
  double rare = 0.5;  // on the rarest token
  double rare_lift = 2;
  double first = 0.6;  // on the first key, of queries that have a choice (Xiao et al. 2023)
  double first_lift = 2;
  double idle = 0.6;     // on the first and the last key (Clark et al. 2019, section 3.2)
  double content = 0.5;  // the most of the entropy over that of an even spread, of several keys
};

// A mean over queries; absent where it cannot be.
struct MeanFigure {
  std::optional<double> value;
  std::optional<double> even;  // for an even spread
};

// A figure is absent where it cannot be; 0 is a measurement.
struct HeadFigures {
  std::map<std::string, MeanFigure, std::less<>> means{};  // by the key of their row
  // The mean weight at each offset, -reach ... reach; absent where no query has a key there.
  std::array<std::optional<double>, static_cast<std::size_t>(offsets)> distance_profile{};
  std::optional<Index> offset;  // where the largest weight is most often; absent: at none of them
  // Of the queries that have a key there; absent where no offset has half of the queries.
  std::optional<double> offset_share;
  Role role = Role::none;

  MeanFigure at(std::string_view key) const {
    const auto found = means.find(key);
    return found == means.end() ? MeanFigure() : found->second;
  }
};

HeadFigures figures_of(const HeadSums& sums,
                       const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
