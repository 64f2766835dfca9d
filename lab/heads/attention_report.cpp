// The linear maps of heads.
#include "lab/heads/attention_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/product/blas_spectrum.hpp"
#include "lab/heads/head_writes.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The weight (d, D) of a head's queries, keys or values, with zeros for columns that it does not
// read; the identity on the columns that it reads where the input itself is the query.
Tensor map_of(const ParameterStore& store, const MultiHeadAttention& attention, HeadRole role,
              Index head) {
  const auto found = attention.weights.projections.head_weight(store, role, head);
  if (!found) {
    const AttentionSpec& spec = attention.spec;
    Tensor identity = Tensor::zeros({spec.d_qk, spec.d_model});
    const Index first = spec.input == HeadInput::narrow ? head * spec.d_qk : 0;
    for (Index i = 0; i < spec.d_qk; ++i) {
      identity.row(i)[first + i] = 1;
    }
    return identity;
  }
  const Tensor& weight = found->weight;
  Tensor map = Tensor::zeros({weight.dim(0), attention.spec.d_model});
  for (Index i = 0; i < weight.dim(0); ++i) {
    std::copy_n(weight.row(i), weight.dim(1), map.row(i) + found->first_input);
  }
  return map;
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
  return {.norm = std::sqrt(squares),
          .rank = sum > 0 ? std::optional(std::exp(entropy)) : std::nullopt,
          .width = std::min(a.dim(0), a.dim(1))};
}

// Σ_ij (Σ_r a_ri b_rj)(Σ_s a_sj b_si) = Σ_rs (a_r · b_s)(b_r · a_s), which is <M, Mᵀ>; then
// |M - Mᵀ|² = 2 |M|² - 2 <M, Mᵀ>.
std::optional<double> asymmetry_of(const Tensor& a, const Tensor& b, double norm) {
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
  if (squared == 0) {
    return std::nullopt;
  }
  return std::sqrt(std::max(0.0, (squared - with_transpose) / (2 * squared)));
}

}  // namespace

std::vector<std::optional<HeadMaps>> head_maps(const ParameterStore& store,
                                               const MultiHeadAttention& attention) {
  const AttentionSpec& spec = attention.spec;
  std::vector<std::optional<HeadMaps>> maps(static_cast<std::size_t>(spec.heads));
  if (spec.sharing == Sharing::identity || spec.combine != Combine::output) {
    return maps;
  }
  const std::vector<Tensor> writes = head_writes(store, attention);
  for (Index head = 0; head < spec.heads; ++head) {
    if (spec.score.at(head) != Score::dot) {
      continue;
    }
    const Tensor q = map_of(store, attention, HeadRole::query, head);
    const Tensor k = map_of(store, attention, HeadRole::key, head);
    HeadMaps one{.query_key = figures_of(q, k),
                 .value_output = figures_of(map_of(store, attention, HeadRole::value, head),
                                            writes[static_cast<std::size_t>(head)]),
                 .asymmetry = {}};
    if (spec.is_self()) {
      one.asymmetry = asymmetry_of(q, k, one.query_key.norm);
    }
    maps[static_cast<std::size_t>(head)] = one;
  }
  return maps;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
