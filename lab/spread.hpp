// The spread of a figure over several seeds or heads.
#pragma once

#include <cstddef>
#include <vector>

namespace tapehead {

// The deviation is that of a sample, √(Σ (x - mean)² / (n - 1)); it is 0 for a single value.
struct Spread {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;

  bool has_deviation() const { return count > 1; }
};
Spread spread_of(const std::vector<double>& values);

}  // namespace tapehead
