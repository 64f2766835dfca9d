// The forward pass of attention for one head of one sequence.

#include "core/kernel/vector_functions.hpp"

#include "core/ops/attention/kernel.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The largest number of each column and of `start`: four maxima in parallel need not wait.
Lanes column_largest(const Scalar* column, Index step, Index rows, const Lanes& start) {
  std::array<Lanes, 4> largest{start, start, start, start};
  const auto row = [&](Index j) { return Lanes::load_unaligned(column + j * step); };
  Index j = 0;
  for (; j + 4 <= rows; j += 4) {
    largest[0] = xsimd::max(largest[0], row(j));
    largest[1] = xsimd::max(largest[1], row(j + 1));
    largest[2] = xsimd::max(largest[2], row(j + 2));
    largest[3] = xsimd::max(largest[3], row(j + 3));
  }
  for (; j < rows; ++j) {
    largest[0] = xsimd::max(largest[0], row(j));
  }
  return xsimd::max(xsimd::max(largest[0], largest[1]), xsimd::max(largest[2], largest[3]));
}

}  // namespace

void AttentionKernel::forward(const HeadProblem& problem, const HeadOutput& out, bool more) {
  problem_ = problem;
  problem_.value = used_by(problem.query.rows, problem.value);
  const Rows rows{
      .of_queries = {problem.query, {out.rows, out.stride, problem.query.rows, d_value_}},
      .of_keys = {problem.key, problem.value}};
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    take_queries(first);
    if (problem.kept.count > 0) {
      select_top();
    }
    begin_rows(out, more);
    if (value_bias_.active()) {
      value_bias_.clear_mass(tile_.queries);
    }
    for_each_block([&] {
      fetch_ahead(rows);
      for_each_part([&](const Part& part) {
        if (!kept_scores(part)) {
          return;
        }
        dropout_.draw(problem_.draws.from(part.query, part.keys.first), part.columns,
                      part.keys.count());
        softmax(part);
        if (value_bias_.active()) {
          add_mass(part);
        }
        add_values(part, out.rows + first * out.stride, out.stride);
      });
    });
    if (value_bias_.active()) {  // y_q += Σ_b mass[q][b] r_b
      product(tile_.queries, value_bias_.buckets, d_value_,
              {value_bias_.mass.data(), value_bias_.step, 1},
              {value_bias_.rows.data(), value_bias_.rows.dim(1)}, out.rows + first * out.stride,
              out.stride, true);
    }
    finish_rows(out);
  }
}

// Counts an earlier result as one key, with its log-sum-exp as score and its row as value.
void AttentionKernel::begin_rows(const HeadOutput& out, bool more) {
  begun_.fill(more);
  std::fill_n(largest_, tile_.columns, minus_infinity);
  std::fill_n(sums_, tile_.columns, Scalar{0});
  for (Index q = 0; more && q < tile_.queries; ++q) {
    largest_[q] = out.log_sums[(tile_.first + q) * out.log_sums_stride];
    sums_[q] = largest_[q] == minus_infinity ? Scalar{0} : Scalar{1};
  }
}

// weights[j][q] = exp(s_jq - m_q), times the dropout factor if there is dropout. m_q is the largest
// score of this block and of earlier blocks. Earlier sums and outputs used an earlier m_q, so they
// are multiplied by corrections[q] = exp(m_q before - m_q).
void AttentionKernel::softmax(const Part& part) {
  const bool dropped = dropout_.active();
  const Index keys = part.keys.count();
  const Index step = tile_.step();
  for (Index first = 0; first < part.columns; first += lane_count) {
    Scalar* column = scores_ + part.at + first;
    const Index q = part.first + first;
    const Lanes before = Lanes::load_unaligned(largest_ + q);
    const Lanes largest = column_largest(column, step, keys, before);
    const Lanes shift = xsimd::select(largest == Lanes(minus_infinity), Lanes(Scalar{0}), largest);
    Lanes sum(Scalar{0});
    for (Index j = 0; j < keys; ++j) {
      Scalar* row = column + j * step;
      const Lanes weight = exp_of_small(Lanes::load_unaligned(row) - shift);
      sum += weight;
      if (dropped) {
        (weight * dropout_.factors(j, first)).store_unaligned(row);
      } else {
        weight.store_unaligned(row);
      }
    }
    const Lanes correction = exp_of_small(before - shift);
    fused_multiply_add(correction, Lanes::load_unaligned(sums_ + q), sum)
        .store_unaligned(sums_ + q);
    largest.store_unaligned(largest_ + q);
    correction.store_unaligned(corrections_ + q);
  }
}

// y_q = corrections[q] y_q + Σ_j weights[j][q] v_j. y_q is undefined before a panel's first keys.
void AttentionKernel::add_values(const Part& part, Scalar* rows, Index stride) {
  const Index first = part.first;
  const bool more = std::exchange(begun_[static_cast<std::size_t>(first / panel_queries)], true);
  for (Index q = first; more && q < first + part.queries; ++q) {
    if (corrections_[q] != Scalar{1}) {
      scale_row(d_value_, corrections_[q], rows + q * stride, rows + q * stride);
    }
  }
  product(part.queries, part.keys.count(), d_value_, {scores_ + part.at, 1, tile_.step()},
          values_.from(part.keys.first - block_.first), rows + first * stride, stride, more);
}

// mass[q][b] = corrections[q] mass[q][b] + Σ_j weights[j][q] over the keys of bucket b
void AttentionKernel::add_mass(const Part& part) {
  const Index first = part.first;
  for (Index q = first; q < first + part.queries; ++q) {
    scale_row(value_bias_.step, corrections_[q], value_bias_.mass.row(q), value_bias_.mass.row(q));
  }
  distances_.sum_rows(panel_numbers(part, scores_), 1, value_bias_.mass.row(first),
                      value_bias_.step);
}

// y_q = Σ_j weights[j][q] v_j / Σ_j, and log_sums[q] = m_q + log Σ_j; without keys, 0 and -inf.
void AttentionKernel::finish_rows(const HeadOutput& out) {
  const auto log_sum_of = [](auto largest, auto sum) { return largest + xsimd::log(sum); };
  map_row(tile_.columns, log_sums_, log_sum_of, largest_, sums_);
  for (Index q = 0; q < tile_.queries; ++q) {
    Scalar* row = out.rows + (tile_.first + q) * out.stride;
    Scalar& log_sum = out.log_sums[(tile_.first + q) * out.log_sums_stride];
    if (sums_[q] == Scalar{0}) {
      std::fill_n(row, d_value_, Scalar{0});
      log_sum = minus_infinity;
    } else {
      scale_row(d_value_, 1 / sums_[q], row, row);
      log_sum = log_sums_[q];
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
