#include "lab/cyclic_spectrum.hpp"

#include <complex>
#include <numbers>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// |Ê(k)|², summed over the columns. circle[j] = exp(2πi j/p).
double squared_norm_at(Index k, std::span<const double> rows, std::size_t width,
                       const std::vector<std::complex<double>>& circle) {
  std::vector<double> real(width);
  std::vector<double> imaginary(width);
  for (std::size_t a = 0; a < circle.size(); ++a) {
    const std::complex<double> at = circle[a * static_cast<std::size_t>(k) % circle.size()];
    for (std::size_t column = 0; column < width; ++column) {
      real[column] += rows[a * width + column] * at.real();
      imaginary[column] -= rows[a * width + column] * at.imag();
    }
  }
  return std::inner_product(real.begin(), real.end(), real.begin(), 0.0) +
         std::inner_product(imaginary.begin(), imaginary.end(), imaginary.begin(), 0.0);
}

}  // namespace

CyclicSpectrum cyclic_spectrum(std::span<const double> rows, Index width) {
  const Index p = std::ssize(rows) / width;
  std::vector<std::complex<double>> circle;  // looked up at a k modulo p, so no angle is large
  for (Index j = 0; j < p; ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(p);
    circle.emplace_back(std::cos(angle), std::sin(angle));
  }
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
  std::size_t count = 0;
  while (count < largest.size() && largest[count] > 0 && sum < share) {
    sum += largest[count++];
  }
  return static_cast<Index>(count);
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

CyclicSpectrum embedding_spectrum(const Model& model, std::span<const TokenId> cyclic_tokens) {
  const Tensor table = model.store.value(model.transformer.stacks().front()->embedding.table);
  const Index width = table.shape()[1];
  std::vector<double> rows;
  for (const TokenId token : cyclic_tokens) {
    rows.insert(rows.end(), table.row(token), table.row(token) + width);
  }
  return cyclic_spectrum(rows, width);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
