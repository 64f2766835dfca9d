// The figures of one head, from its sums over a split: means and, if one fits, a role.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
// exists.
struct RoleThresholds {
  // The largest weight is at one offset for this share of the queries (Voita et al. 2019, section
  // 5, use 0.9).
  double positional = 0.9;
  // Weight on what followed an earlier occurrence of the query's token (Olsson et al. 2022), and
  // how many times that of an even spread.
  double induction = 0.4;
  double induction_lift = 2;
  // Weight on earlier occurrences of the query's token (the duplicate token heads of Wang et al.
  // 2022), and how many times that of an even spread.
  double duplicate = 0.4;
  double duplicate_lift = 2;
  // Weight on the rarest token, and how many times that of an even spread.
  double rare = 0.5;
  double rare_lift = 2;
  // Weight on the first key, the attention sink of Xiao et al. 2023, and how many times that of an
  // even spread. Queries that may attend to no other key do not count: what they do is no choice.
  double first = 0.6;
  double first_lift = 2;
  // The weight on the sentence's first and last key, where the marks are (Clark et al. 2019,
  // section 3.2, interpret such weight as attention to nothing).
  double idle = 0.6;
  // Entropy over that of an even spread, where queries have several keys: at most this.
  double content = 0.5;
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
                       const std::vector<HeadFigureRow>& rows = head_figure_rows(),
                       const RoleThresholds& thresholds = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
