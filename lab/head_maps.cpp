#include "lab/head_maps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/blas_spectrum.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

Tensor weight_of(const ParameterStore& store, const std::string& name) {
  const auto found = std::ranges::find(store.parameters(), name, &NamedParameter::name);
  if (found == store.parameters().end()) {
    throw std::logic_error("no parameter " + name);
  }
  return store.value(*found);
}

// (H d, D) -> (d, D) of one head
Tensor rows_of_head(const Tensor& weight, Index head, Index heads) {
  const Index width = weight.dim(0) / heads;
  return weight.part(head * width * weight.dim(1), {width, weight.dim(1)});
}

// (D, H d) -> (d, D) of one head
Tensor columns_of_head(const Tensor& weight, Index head, Index heads) {
  const Index width = weight.dim(1) / heads;
  Tensor columns = Tensor::empty({width, weight.dim(0)});
  for (Index i = 0; i < weight.dim(0); ++i) {
    for (Index c = 0; c < width; ++c) {
      columns.row(c)[i] = weight.row(i)[head * width + c];
    }
  }
  return columns;
}

MapFigures figures_of(const Tensor& a, const Tensor& b) {
  const std::vector<double> values = product_singular_values(a, b);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  double entropy = 0;
  for (const double value : values) {
    entropy -= value > 0 ? value / sum * std::log(value / sum) : 0;
  }
  return {.norm = std::sqrt(squares), .rank = sum > 0 ? std::exp(entropy) : 0};
}

// Σ_ij (Σ_r a_ri b_rj)(Σ_s a_sj b_si) = Σ_rs (a_r · b_s)(b_r · a_s), which is <M, Mᵀ>; then
// |M - Mᵀ|² = 2 |M|² - 2 <M, Mᵀ>.
double asymmetry_of(const Tensor& a, const Tensor& b, double norm) {
  const Index rows = a.dim(0);
  std::vector<double> dots(static_cast<std::size_t>(rows * rows));
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < rows; ++s) {
      double sum = 0;
      for (Index c = 0; c < a.dim(1); ++c) {
        sum += static_cast<double>(a.row(r)[c]) * static_cast<double>(b.row(s)[c]);
      }
      dots[static_cast<std::size_t>(r * rows + s)] = sum;
    }
  }
  double with_transpose = 0;
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < rows; ++s) {
      with_transpose += dots[static_cast<std::size_t>(r * rows + s)] *
                        dots[static_cast<std::size_t>(s * rows + r)];
    }
  }
  const double squared = norm * norm;
  return squared > 0 ? std::sqrt(std::max(0.0, (squared - with_transpose) / (2 * squared))) : 0;
}

}  // namespace

std::vector<HeadMaps> head_maps(const ParameterStore& store, const std::string& path, Index heads,
                                bool self) {
  const Tensor query = weight_of(store, path + ".query.weight");
  const Tensor key = weight_of(store, path + ".key.weight");
  const Tensor value = weight_of(store, path + ".value.weight");
  const Tensor output = weight_of(store, path + ".output.weight");
  std::vector<HeadMaps> maps;
  for (Index head = 0; head < heads; ++head) {
    const Tensor q = rows_of_head(query, head, heads);
    const Tensor k = rows_of_head(key, head, heads);
    HeadMaps one{.query_key = figures_of(q, k),
                 .value_output = figures_of(rows_of_head(value, head, heads),
                                            columns_of_head(output, head, heads)),
                 .asymmetry = {}};
    if (self) {
      one.asymmetry = asymmetry_of(q, k, one.query_key.norm);
    }
    maps.push_back(one);
  }
  return maps;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
