// Looks up a sum of a head's figures by the key of its row.
#pragma once

#include "lab/heads/head_figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline const MeanSum& mean_in(const HeadSums& sums, std::string_view key) {
  const auto& rows = head_figure_rows();
  const auto row = std::ranges::find(rows, key, &HeadFigureRow::key);
  return sums.means.at(static_cast<std::size_t>(row - rows.begin()));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
