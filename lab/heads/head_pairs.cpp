#include "lab/heads/head_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

double dot(const Scalar* a, const Scalar* b, Index count) {
  double sum = 0;
  for (Index c = 0; c < count; ++c) {
    sum += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  }
  return sum;
}

}  // namespace

// Σ_queries H((p + q) / 2) - (H(p) + H(q)) / 2, which is the divergence.
double divergence_between(std::span<const Scalar> p, std::span<const Scalar> q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto a = static_cast<double>(p[i]);
    const auto b = static_cast<double>(q[i]);
    sum += (entropy_term(a) + entropy_term(b)) / 2 - entropy_term((a + b) / 2);
  }
  return std::max(0.0, sum);
}

Tensor unit_rows(const Tensor& x) {
  Tensor unit = Tensor::empty(x.shape());
  const Index columns = x.dim(1);
  for (Index i = 0; i < x.dim(0); ++i) {
    const double length = std::sqrt(dot(x.row(i), x.row(i), columns));
    for (Index c = 0; c < columns; ++c) {
      const double value = static_cast<double>(x.row(i)[c]);
      unit.row(i)[c] = static_cast<Scalar>(length > 0 ? value / length : 0);
    }
  }
  return unit;
}

double output_distance_between(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (Index i = 0; i < a.dim(0); ++i) {
    sum += std::max(0.0, 1 - dot(a.row(i), b.row(i), a.dim(1)));
  }
  return sum;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
