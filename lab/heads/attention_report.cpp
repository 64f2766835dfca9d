// The linear maps of the heads of an attention.
#include "lab/heads/attention_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The columns of the output weight (D, H d_v) that belong to the head, transposed.
Tensor columns_of(const Tensor& weight, Index head, Index width) {
  Tensor columns = Tensor::empty({width, weight.dim(0)});
  for (Index i = 0; i < weight.dim(0); ++i) {
    for (Index c = 0; c < width; ++c) {
      columns.row(c)[i] = weight.row(i)[head * width + c];
    }
  }
  return columns;
}

// The map (width, columns) that adds `share` times number i of the head to column `first` + i.
Tensor placed(Index width, Index columns, Index first, Scalar share) {
  Tensor map = Tensor::zeros({width, columns});
  for (Index c = 0; c < width; ++c) {
    map.row(c)[first + c] = share;
  }
  return map;
}

// The weight (d, D) of a head's queries, keys or values, with zeros for input columns that the head
// does not read. Without such a weight it is the identity on the columns that the head reads.
Tensor map_of(const ParameterStore& store, const MultiHeadAttention& attention, HeadRole role,
              Index head) {
  const auto found = attention.weights.projections.head_weight(store, role, head);
  if (!found) {
    const AttentionSpec& spec = attention.spec;
    const Index first = spec.input == HeadInput::narrow ? head * spec.d_qk : 0;
    return placed(spec.d_qk, spec.d_model, first, 1);
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
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  double entropy = 0;
  for (const double value : values) {
    entropy -= entropy_term(value / sum);
  }
  return {.norm = std::sqrt(squares),
          .effective_rank = sum > 0 ? std::optional(std::exp(entropy)) : std::nullopt,
          .width = std::min(a.dim(0), a.dim(1))};
}

// Σ_ij (Σ_r a_ri b_rj)(Σ_s a_sj b_si) = Σ_rs (a_r · b_s)(b_r · a_s), which is <M, Mᵀ>; then
// |M - Mᵀ|² = 2 |M|² - 2 <M, Mᵀ>.
std::optional<double> asymmetry_of(const Tensor& a, const Tensor& b, double norm) {
  const double squared = norm * norm;
  if (squared == 0) {
    return std::nullopt;
  }
  const Index rows = a.dim(0);
  std::vector<double> dots;  // a_r · b_s at (r, s)
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < rows; ++s) {
      dots.push_back(dot_product(a.row(r), b.row(s), a.dim(1)));
    }
  }
  double with_transpose = 0;
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < rows; ++s) {
      with_transpose += dots[static_cast<std::size_t>(r * rows + s)] *
                        dots[static_cast<std::size_t>(s * rows + r)];
    }
  }
  return std::sqrt(std::max(0.0, (squared - with_transpose) / (2 * squared)));
}

}  // namespace

std::vector<Tensor> head_writes(const ParameterStore& store, const MultiHeadAttention& attention) {
  const AttentionSpec& spec = attention.spec;
  const HeadCombination& combination = attention.weights.combination;
  const auto write = [&](Index head) {
    switch (spec.combine) {
      case Combine::concatenate:
        return placed(spec.d_v, spec.d_model, head * spec.d_v, 1);
      case Combine::mean:
        return placed(spec.d_v, spec.d_model, 0, 1 / static_cast<Scalar>(spec.heads));
      case Combine::weighted:
        return placed(spec.d_v, spec.d_model, 0,
                      store.value(combination.head_weights).data()[head]);
      default:
        return columns_of(store.value(combination.output_weight), head, spec.d_v);
    }
  };
  return mapped(numbers_below(spec.heads), write);
}

Tensor written_by(const Tensor& output, const Tensor& write) {
  Tensor written = Tensor::empty({output.dim(0), write.dim(1)});
  matrix_product(output.dim(0), write.dim(1), write.dim(0), {output.data(), output.dim(1)},
                 {write.data(), write.dim(1)}, written.data(), write.dim(1), false);
  return written;
}

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
                                            writes[static_cast<std::size_t>(head)])};
    if (spec.is_self()) {
      one.asymmetry = asymmetry_of(q, k, one.query_key.norm);
    }
    maps[static_cast<std::size_t>(head)] = one;
  }
  return maps;
}

std::vector<ReportedHead> heads_of(const AttentionReports& attentions) {
  std::vector<ReportedHead> heads;
  for (const AttentionReport& attention : attentions) {
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      heads.push_back({attention, i});
    }
  }
  return heads;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
