#include "core/gradcheck/slopes/motion.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

bool Gaps::fall(double unseen) const {
  return gaps_[count_ - 1] <= unseen || (count_ > 1 && gaps_[count_ - 1] < 0.5 * gaps_[count_ - 2]);
}

bool Gaps::stay(double noise) const {
  constexpr std::size_t looked_at = 4;
  if (count_ < looked_at || gaps_[count_ - 1] <= 100 * noise) {
    return false;
  }
  const auto* const first = gaps_.begin() + (count_ - looked_at);
  const auto [least, most] = std::minmax_element(first, first + looked_at);
  return *most < 2 * *least;
}

void Motion::add(double central, double gap, double enough) {
  before_ = change_;
  change_ = std::abs(central - central_);
  const bool parts = change_ > std::max(before_, enough) && (gap < 0.5 * gap_ || gap > 2 * gap_);
  partings_ += parts ? 1 : 0;
  central_ = central;
  gap_ = gap;
}

bool Motion::is_chance(double unseen) const {
  return std::isfinite(before_) && before_ > unseen && change_ < before_ / 256;
}

}  // namespace tapehead
