#include "core/gradcheck/slope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tapehead {

namespace {

constexpr std::size_t most_steps = 8;
constexpr double shrink = 4;

// For a smooth function the gap between the slopes to both sides is f''(x) h, which falls with the
// step; rounding lets it grow as the step falls; at a kink it stays.

bool gap_falls(const std::array<double, most_steps>& gaps, std::size_t count, double unseen) {
  return gaps[count - 1] <= unseen || (count > 1 && gaps[count - 1] < 0.5 * gaps[count - 2]);
}

bool gap_stays(const std::array<double, most_steps>& gaps, std::size_t count, double noise) {
  constexpr std::size_t looked_at = 4;
  if (count < looked_at || gaps[count - 1] <= 100 * noise) {
    return false;
  }
  const auto* const first = gaps.begin() + (count - looked_at);
  const auto [least, most] = std::minmax_element(first, first + looked_at);
  return *most < 2 * *least;
}

// How the slopes move from step to step. Those of a smooth function draw nearer, by 16 each time;
// those that rounding makes part, or agree by chance: two of them alike after two that were not. At
// a kink they part as well, but there the gap stays, except at the one step that comes close to it.
class Motion {
 public:
  // `enough`: changes that do not matter.
  void add(double central, double gap, double enough) {
    before_ = change_;
    change_ = std::abs(central - central_);
    const bool parts = change_ > std::max(before_, enough) && (gap < 0.5 * gap_ || gap > 2 * gap_);
    partings_ += parts ? 1 : 0;
    central_ = central;
    gap_ = gap;
  }
  bool is_rounding() const { return partings_ > 1; }
  bool is_chance(double unseen) const {
    return std::isfinite(before_) && before_ > unseen && change_ < before_ / 256;
  }

 private:
  double central_ = std::numeric_limits<double>::infinity();
  double change_ = std::numeric_limits<double>::infinity();
  double before_ = std::numeric_limits<double>::infinity();
  double gap_ = 0;
  int partings_ = 0;
};

// The extrapolation's rows, of which only the last is kept.
class Tableau {
 public:
  // The best of the new row, and what it may be off: as far as its neighbours are away.
  struct Best {
    double value = 0;
    double error = std::numeric_limits<double>::infinity();
  };
  Best add(double central) {
    std::array<double, most_steps> next{};
    next[0] = central;
    Best best{.value = central};
    double power = 1;
    for (std::size_t j = 1; j <= rows_; ++j) {
      power *= shrink * shrink;
      next[j] = (power * next[j - 1] - row_[j - 1]) / (power - 1);
      const double error =
          std::max(std::abs(next[j] - next[j - 1]), std::abs(next[j] - row_[j - 1]));
      if (error < best.error) {
        best = {.value = next[j], .error = error};
      }
    }
    row_ = next;
    ++rows_;
    return best;
  }

 private:
  std::array<double, most_steps> row_{};
  std::size_t rows_ = 0;
};

}  // namespace

Slope slope_of(const std::function<Rise(double step)>& rise, const SlopeSearch& search) {
  Slope slope{.error = std::numeric_limits<double>::infinity()};
  Motion motion;
  Tableau tableau;
  std::array<double, most_steps> gaps{};
  std::size_t count = 0;  // steps with finite numbers so far
  double noise = 0;
  double step = search.first_step;
  for (std::size_t i = 0; i < most_steps; ++i, step /= shrink) {
    const Rise at = rise(step);
    const double central = (at.up + at.down) / 2;
    if (!std::isfinite(central)) {  // beyond the edge of where the function is defined
      continue;
    }
    const bool still = at.up == 0 && at.down == 0 && (slope.left != 0 || slope.right != 0);
    const double gap = std::abs(at.up - at.down);
    const double enough = search.enough(central);
    motion.add(central, gap, enough);
    if (still || (!search.noise_known && motion.is_rounding())) {
      break;  // the step is below what the function can tell apart
    }
    noise = at.noise;
    slope.left = at.down;
    slope.right = at.up;
    gaps[count++] = gap;
    const bool tells =
        gap_falls(gaps, count, std::max(100 * noise, enough)) && !motion.is_chance(enough);
    const Tableau::Best best = tableau.add(central);
    const double error = std::max(best.error, noise);
    if (std::isinf(slope.error) || (tells && error < slope.error)) {
      slope.value = best.value;
      slope.error = tells ? error : slope.error;
    }
    if (tells && slope.error <= search.enough(slope.value)) {
      return slope;
    }
  }
  slope.kink = count > 0 && gap_stays(gaps, count, noise);
  return slope;
}

}  // namespace tapehead
