#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead {

Estimate Tableau::add(double slope) {
  std::array<double, most_steps> next{};
  next[0] = slope;
  Estimate best{.value = slope, .error = std::numeric_limits<double>::infinity()};
  double power = 1;
  for (std::size_t j = 1; j <= rows_; ++j) {
    power *= ratio_;
    next[j] = (power * next[j - 1] - row_[j - 1]) / (power - 1);
    const double error = std::max(std::abs(next[j] - next[j - 1]), std::abs(next[j] - row_[j - 1]));
    if (error < best.error) {
      best = {.value = next[j], .error = error};
    }
  }
  row_ = next;
  ++rows_;
  return best;
}

namespace {

constexpr std::size_t looked_at = 4;  // steps that tell how slopes change

// The slopes on one side, with step h: f' + a h + b h² + ... if the function is smooth on that
// side, f' + a h^p with any p > 0 if it is a power. Aitken's Δ² finds the limit of a power.
class OneSided {
 public:
  void add(double slope) {
    const std::size_t count = steps();
    slopes_[count] = slope;
    limit_ = tableau_.add(slope);
    if (count < 2) {
      return;
    }
    const double last = change(count);
    const double before = change(count - 1);
    // Changes with a constant ratio q = h^p below 1 add up to last · q / (1 - q).
    const double limit = std::abs(last) < 0.9 * std::abs(before)
                             ? slope - last * last / (last - before)
                             : std::numeric_limits<double>::quiet_NaN();
    const double error = std::abs(limit - accelerated_);
    if (error < limit_.error) {
      limit_ = {.value = limit, .error = error};
    }
    accelerated_ = limit;
  }

  Estimate limit() const { return limit_; }
  std::size_t steps() const { return tableau_.rows(); }

  // Whether the slopes converge from step to step. Rounding prevents convergence.
  bool draws_near(double noise) const {
    return in_last_steps(looked_at - 2, [&](std::size_t i) {
      return !(std::abs(change(i)) > std::max(0.9 * std::abs(change(i - 1)), 4 * noise));
    });
  }

  // Whether the slopes grow without limit as the step shrinks, as the slopes of √x do at 0: at
  // least as fast as h^-0.1, and with the same sign.
  bool diverges() const {
    return in_last_steps(looked_at - 1,
                         [&](std::size_t i) { return slopes_[i] / slopes_[i - 1] > 1.1; });
  }

 private:
  // From the slope of step i - 1 to that of step i.
  double change(std::size_t i) const { return slopes_[i] - slopes_[i - 1]; }

  // Whether there are enough steps and each of the last `many` fulfils the condition.
  template <class Condition>
  bool in_last_steps(std::size_t many, const Condition& condition) const {
    return steps() >= looked_at &&
           std::ranges::all_of(std::views::iota(steps() - many, steps()), condition);
  }

  Tableau tableau_{1};
  std::array<double, most_steps> slopes_{};
  double accelerated_ = std::numeric_limits<double>::quiet_NaN();
  Estimate limit_;
};

// The gap between the slopes of the two sides. In a smooth function it is f''(x) h and shrinks with
// the step. Rounding makes it grow as the step shrinks. At a kink it stays constant.
class Gaps {
 public:
  void add(double gap) { gaps_[count_++] = gap; }

  bool fall(double unseen) const {
    return gaps_[count_ - 1] <= unseen ||
           (count_ > 1 && gaps_[count_ - 1] < 0.5 * gaps_[count_ - 2]);
  }

  bool stay(double noise) const {
    if (count_ < looked_at || gaps_[count_ - 1] <= 100 * noise) {
      return false;
    }
    const auto* const first = gaps_.begin() + (count_ - looked_at);
    const auto [least, most] = std::minmax_element(first, first + looked_at);
    return *most < 2 * *least;
  }

 private:
  std::array<double, most_steps> gaps_{};
  std::size_t count_ = 0;
};

// How the central slopes change from step to step. In a smooth function they converge, by a factor
// of 16 each time. Rounding makes them diverge, or makes two of them agree by chance. They diverge
// at a kink too, but the gap stays constant there, except at the one step that comes close to the
// kink.
class Motion {
 public:
  // `enough`: changes up to this size do not matter.
  void add(double central, double gap, double enough) {
    before_ = std::exchange(change_, std::abs(central - central_));
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

class Search {
 public:
  Search(const std::function<Rise(double step)>& rise, const SlopeSearch& search)
      : rise_(rise), search_(search) {}

  Slope run() {
    double step = search_.first_step;
    for (std::size_t i = 0; i < most_steps && add(rise_(step), step); ++i) {
      step /= step_shrink;
    }
    if (!settled()) {
      const auto endless = [this](const OneSided& side, double slope) {
        return side.diverges() && std::abs(slope) > 100 * noise_;
      };
      slope_.kink = (central_.rows() > 0 && gaps_.stay(noise_)) || endless(left_, slope_.left) ||
                    endless(right_, slope_.right);
    }
    return slope_;
  }

 private:
  // Returns whether smaller steps are wanted.
  bool add(const Rise& at, double step) {
    const bool up = std::isfinite(at.up);
    const bool down = std::isfinite(at.down);
    if (!up && !down) {  // both sides are outside the function's domain
      return true;
    }
    if (at.up == 0 && at.down == 0 && jumps(step)) {  // smaller than the function resolves
      return false;
    }
    const bool first = left_.steps() + right_.steps() == 0;
    slope_.noise = first ? at.noise : slope_.noise;
    last_step_ = step;
    if (up && down && !add_central(at)) {
      return false;
    }
    noise_ = at.noise;
    if (down) {
      left_.add(at.down);
      slope_.left = at.down;
    }
    if (up) {
      right_.add(at.up);
      slope_.right = at.up;
    }
    if (!settled()) {
      add_sides();
    }
    return !settled();
  }

  bool add_central(const Rise& at) {
    const double central = (at.up + at.down) / 2;
    const double gap = std::abs(at.up - at.down);
    const double enough = search_.enough(central);
    motion_.add(central, gap, enough);
    if (!search_.noise_known && motion_.is_rounding()) {
      return false;
    }
    gaps_.add(gap);
    const Estimate best = central_.add(central);
    if (gaps_.fall(std::max(100 * at.noise, enough)) && !motion_.is_chance(enough)) {
      take(best, at.noise);
    } else if (std::isinf(slope_.error)) {
      slope_.value = best.value;
    }
    return true;
  }

  void add_sides() {
    const bool left = left_.draws_near(noise_);
    const bool right = right_.draws_near(noise_);
    const Estimate l = left_.limit();
    const Estimate r = right_.limit();
    if (left && right) {
      const double gap = std::abs(l.value - r.value);
      if (gap <= l.error + r.error + 4 * noise_) {
        take({.value = (l.value + r.value) / 2, .error = std::max({l.error, r.error, gap})},
             2 * noise_);
      }
    } else if (central_.rows() == 0 && (left || right)) {  // at the edge of the domain
      take(left ? l : r, 2 * noise_);
    }
  }

  void take(const Estimate& limit, double noise) {
    const double error = std::max(limit.error, noise);
    if (std::isinf(slope_.error) || error < slope_.error) {
      slope_.value = limit.value;
      slope_.error = error;
      slope_.last = last_step_;
    }
  }

  bool settled() const { return slope_.error <= search_.enough(slope_.value); }

  // Whether the change of the step before happens at one point, as with rounded numbers. Beyond a
  // kink, for example where a ReLU is zero, the change begins at some point and grows.
  bool jumps(double step) const {
    return (slope_.left != 0 && side_jumps(step, false)) ||
           (slope_.right != 0 && side_jumps(step, true));
  }

  bool side_jumps(double step, bool upwards) const {
    constexpr int halvings = 10;
    double still = step;
    double changed = last_step_;
    const double whole = changed * (upwards ? slope_.right : slope_.left);
    double least = whole;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (still + changed) / 2;
      const Rise at = rise_(middle);
      const double change = middle * (upwards ? at.up : at.down);
      (change == 0 ? still : changed) = middle;
      least = change == 0 ? least : change;
    }
    return std::abs(least) > std::abs(whole) / 32;
  }

  const std::function<Rise(double step)>& rise_;
  const SlopeSearch& search_;
  Slope slope_{.error = std::numeric_limits<double>::infinity(), .step = search_.first_step};
  Motion motion_;
  Gaps gaps_;
  Tableau central_{2};
  OneSided left_;
  OneSided right_;
  double noise_ = 0;  // at the last step
  double last_step_ = 0;
};

}  // namespace

Slope slope_of(const std::function<Rise(double step)>& rise, const SlopeSearch& search) {
  return Search(rise, search).run();
}

}  // namespace tapehead
