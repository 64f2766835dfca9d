#include "lab/cyclic_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

namespace tapehead {

namespace {

// Cosine and sine of each multiple of 2π/p: the angle of (a, k) is that of a k modulo p, so no
// angle is large.
struct UnitCircle {
  explicit UnitCircle(Index p)
      : cosines(static_cast<std::size_t>(p)), sines(static_cast<std::size_t>(p)) {
    for (std::size_t i = 0; i < cosines.size(); ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(p);
      cosines[i] = std::cos(angle);
      sines[i] = std::sin(angle);
    }
  }

  std::vector<double> cosines;
  std::vector<double> sines;
};

// |Ê(k)|², summed over the columns.
double squared_norm_at(Index k, std::span<const double> rows, std::size_t width,
                       const UnitCircle& circle) {
  const std::size_t p = circle.cosines.size();
  std::vector<double> real(width);
  std::vector<double> imaginary(width);
  for (std::size_t a = 0; a < p; ++a) {
    const std::size_t at = a * static_cast<std::size_t>(k) % p;
    for (std::size_t column = 0; column < width; ++column) {
      real[column] += rows[a * width + column] * circle.cosines[at];
      imaginary[column] -= rows[a * width + column] * circle.sines[at];
    }
  }
  return std::inner_product(real.begin(), real.end(), real.begin(), 0.0) +
         std::inner_product(imaginary.begin(), imaginary.end(), imaginary.begin(), 0.0);
}

}  // namespace

CyclicSpectrum cyclic_spectrum(std::span<const double> rows, Index width) {
  const Index p = std::ssize(rows) / width;
  const UnitCircle circle(p);
  CyclicSpectrum spectrum;
  for (Index k = 1; k <= p / 2; ++k) {
    const double once = squared_norm_at(k, rows, static_cast<std::size_t>(width), circle);
    spectrum.shares.push_back(2 * k == p ? once : 2 * once);
  }
  const double all = std::accumulate(spectrum.shares.begin(), spectrum.shares.end(), 0.0);
  for (double& share : spectrum.shares) {
    share = all > 0 ? share / all : 0;
  }
  return spectrum;
}

Index CyclicSpectrum::frequencies_with(double share) const {
  std::vector<double> largest = shares;
  std::ranges::sort(largest, std::greater());
  double sum = 0;
  Index count = 0;
  for (std::size_t i = 0; i < largest.size() && largest[i] > 0 && sum < share; ++i) {
    sum += largest[i];
    ++count;
  }
  return count;
}

// With x_1 ≤ ... ≤ x_n: Σ_i (2i - n - 1) x_i / (n Σ_i x_i)
double CyclicSpectrum::gini() const {
  std::vector<double> smallest = shares;
  std::ranges::sort(smallest);
  const auto n = static_cast<double>(smallest.size());
  double weighted = 0;
  double sum = 0;
  for (std::size_t i = 0; i < smallest.size(); ++i) {
    weighted += (2 * static_cast<double>(i + 1) - n - 1) * smallest[i];
    sum += smallest[i];
  }
  return sum > 0 ? weighted / (n * sum) : 0;
}

}  // namespace tapehead
