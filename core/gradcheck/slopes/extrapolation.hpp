// Slopes at ever smaller steps, extrapolated to step 0.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

namespace tapehead {

constexpr std::size_t most_steps = 8;
constexpr double step_shrink = 4;  // each step is this much smaller than the one before

// A limit, and how far it may be off.
struct Limit {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
};

// Richardson's tableau, of which only the last row is kept. Where the truncation error is a series
// in h^order, each column removes one term of it, and neighbours tell what is left (Ridders 1982,
// "Accurate computation of F'(x) and F'(x)F''(x)").
class Tableau {
 public:
  explicit Tableau(int order) : ratio_(order == 2 ? step_shrink * step_shrink : step_shrink) {}

  Limit add(double slope);  // the best of the new row
  std::size_t rows() const { return rows_; }

 private:
  double ratio_;
  std::array<double, most_steps> row_{};
  std::size_t rows_ = 0;
};

// The slopes to one side: f' + a h + b h² + ... where the function is smooth on that side, and
// f' + a h^p with any p > 0 where it is a power, whose limit Aitken's Δ² finds.
class OneSided {
 public:
  void add(double slope);
  Limit limit() const { return limit_; }
  std::size_t steps() const { return tableau_.rows(); }

  // Whether the slopes draw nearer from step to step, as rounding does not let them.
  bool draws_near(double noise) const;

  // Whether the slopes grow without end as the step shrinks, as those of √x at 0.
  bool diverges() const;

 private:
  double change(std::size_t i) const;  // of the slope, with step i

  Tableau tableau_{1};
  std::array<double, most_steps> slopes_{};
  double accelerated_ = std::numeric_limits<double>::quiet_NaN();
  Limit limit_;
};

}  // namespace tapehead
