#include "core/gradcheck/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

bool alike(double x, double y, double scale) {
  return std::abs(x - y) <= 1e-5 * std::max(std::abs(x), std::abs(y)) + 1e-7 * scale;
}

double largest_slope(const Comparison& c) {
  double largest = 0;
  for (Index i = 0; i < c.size(); ++i) {
    largest = std::max(largest, std::abs(c.n(i)));
  }
  return largest;
}

bool is(const Comparison& c, const std::function<double(Index)>& expected) {
  const double scale = largest_slope(c);
  for (Index i = 0; i < c.size(); ++i) {
    if (!alike(c.a(i), expected(i), scale)) {
      return false;
    }
  }
  return true;
}

bool any_element(const Comparison& c, const std::function<bool(Index)>& condition) {
  Index i = 0;
  while (i < c.size() && !condition(i)) {
    ++i;
  }
  return i < c.size();
}

double best_factor(const Comparison& c) {
  double product = 0;
  double square = 0;
  for (Index i = 0; i < c.size(); ++i) {
    product += c.a(i) * c.n(i);
    square += c.n(i) * c.n(i);
  }
  return square > 0 ? product / square : 0;
}

}  // namespace tapehead
