#include "lab/spread.hpp"

#include <cmath>

namespace tapehead {

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{.count = values.size()};
  for (const double value : values) {
    spread.mean += value / count;
  }
  for (const double value : values) {
    const double off = value - spread.mean;
    spread.deviation += values.size() > 1 ? off * off / (count - 1) : 0;
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

}  // namespace tapehead
