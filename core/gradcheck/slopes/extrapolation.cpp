#include "core/gradcheck/slopes/extrapolation.hpp"

namespace tapehead {

Limit Tableau::add(double slope) {
  std::array<double, most_steps> next{};
  next[0] = slope;
  Limit best{.value = slope};
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

void OneSided::add(double slope) {
  const std::size_t count = steps();
  slopes_[count] = slope;
  limit_ = tableau_.add(slope);
  if (count < 2) {
    return;
  }
  const double change = this->change(count);
  const double before = this->change(count - 1);
  // Changes with a constant ratio q = h^p below 1 add up to change q / (1 - q).
  const double limit = std::abs(change) < 0.9 * std::abs(before)
                           ? slope - change * change / (change - before)
                           : std::numeric_limits<double>::quiet_NaN();
  const double error = std::abs(limit - accelerated_);
  if (error < limit_.error) {
    limit_ = {.value = limit, .error = error};
  }
  accelerated_ = limit;
}

double OneSided::change(std::size_t i) const { return slopes_[i] - slopes_[i - 1]; }

bool OneSided::draws_near(double noise) const {
  const std::size_t count = steps();
  for (std::size_t i = count - looked_at + 2; count >= looked_at && i < count; ++i) {
    if (std::abs(change(i)) > std::max(0.9 * std::abs(change(i - 1)), 4 * noise)) {
      return false;
    }
  }
  return count >= looked_at;
}

bool OneSided::diverges() const {
  const std::size_t count = steps();
  for (std::size_t i = count - looked_at + 1; count >= looked_at && i < count; ++i) {
    // It must grow at least as fast as h^-0.1, and stay on one side of 0.
    if (!(slopes_[i] / slopes_[i - 1] > 1.1)) {
      return false;
    }
  }
  return count >= looked_at;
}

}  // namespace tapehead
