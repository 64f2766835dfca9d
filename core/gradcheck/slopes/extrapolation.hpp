// Extrapolates slopes at ever smaller steps to step 0.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

constexpr std::size_t most_steps = 8;
constexpr std::size_t looked_at = 4;  // steps that tell how slopes change
constexpr double step_shrink = 4;     // each step is this much smaller than the one before

// A limit, and how far it may be off.
struct Limit {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
};

// Richardson's tableau; only its last row is kept. If the truncation error is a series in h^order,
// each column removes one term of it, and the difference between neighbours estimates what remains
// (Ridders 1982, "Accurate computation of F'(x) and F'(x)F''(x)").
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

// The slopes on one side: f' + a h + b h² + ... where the function is smooth on that side, and f' +
// a h^p with any p > 0 where it is a power. Aitken's Δ² finds the limit of the latter.
class OneSided {
 public:
  void add(double slope);
  Limit limit() const { return limit_; }
  std::size_t steps() const { return tableau_.rows(); }

  // Whether the slopes converge from step to step. Rounding would prevent it.
  bool draws_near(double noise) const;

  // Whether the slopes grow without limit as the step shrinks, such as those of √x at 0.
  bool diverges() const;

 private:
  double change(std::size_t i) const;  // of the slope, with step i

  Tableau tableau_{1};
  std::array<double, most_steps> slopes_{};
  double accelerated_ = std::numeric_limits<double>::quiet_NaN();
  Limit limit_;
};

}  // namespace tapehead
