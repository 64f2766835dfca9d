// The forward pass of attention for one head of one sequence.

#include "core/kernel/vector_functions.hpp"

#include "core/ops/attention/kernel.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The largest number of each column and of `start`. Computes four maxima in parallel, because a
// single one would wait for the result of each step.
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

void AttentionKernel::forward(HeadProblem problem, const HeadOutput& out, bool more) {
  problem.value = used_by(problem.query.rows, problem.value);
  const Rows rows{
      .of_queries = {problem.query.stored(), {out.rows, out.stride, problem.query.rows, d_value_}},
      .of_keys = {problem.key.stored(), problem.value.stored()}};
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(first, problem.query.rows, problem.query_position, problem.key.rows,
                              problem.key_position, problem.ranges);
    pack_queries(problem, tile);
    if (problem.kept.count > 0) {
      select_top(problem, tile);
    }
    begin_rows(tile, out, more);
    if (value_bias_.active()) {
      value_bias_.clear_mass(tile.queries);
    }
    for_each_block(tile, [&](const KeyRange& block) {
      take_keys(problem, block);
      fetch_ahead(rows, tile, block);
      for_each_part(tile, block, [&](const Part& part) {
        if (!kept_scores(problem, tile, part)) {
          return;
        }
        draw_dropout(problem, tile, part);
        softmax(tile, part);
        if (value_bias_.active()) {
          add_mass(problem, tile, part);
        }
        add_values(tile, part, out.rows + first * out.stride, out.stride);
      });
    });
    if (value_bias_.active()) {  // y_q += Σ_b mass[q][b] r_b
      product(tile.queries, value_bias_.buckets(), d_value_,
              {value_bias_.mass(0), value_bias_.step(), 1},
              {value_bias_.rows(), value_bias_.row_step()}, out.rows + first * out.stride,
              out.stride, true);
    }
    finish_rows(tile, out);
  }
}

// Counts an earlier result as one key, whose score is the result's log-sum-exp and whose value is
// the result's row.
void AttentionKernel::begin_rows(const Tile& tile, const HeadOutput& out, bool more) {
  begun_.fill(more);
  std::fill_n(largest_, tile.columns, minus_infinity);
  std::fill_n(sums_, tile.columns, Scalar{0});
  for (Index q = 0; more && q < tile.queries; ++q) {
    largest_[q] = out.log_sums[(tile.first + q) * out.log_sums_stride];
    sums_[q] = largest_[q] == minus_infinity ? Scalar{0} : Scalar{1};
  }
}

// weights[j][q] = exp(s_jq - m_q), times the dropout factor if there is dropout. m_q is the largest
// score of this block and of earlier blocks. Earlier sums and outputs used an earlier m_q, so they
// are multiplied by corrections[q] = exp(m_q before - m_q).
void AttentionKernel::softmax(const Tile& tile, const Part& part) {
  const bool dropped = dropout_.active();
  for (Index first = 0; first < part.columns; first += lane_count) {
    Scalar* column = scores_ + part.at + first;
    const Index q = part.first + first;
    const Lanes before = Lanes::load_unaligned(largest_ + q);
    const Lanes largest = column_largest(column, tile.step(), part.keys.count(), before);
    const Lanes shift = xsimd::select(largest == Lanes(minus_infinity), Lanes(Scalar{0}), largest);
    Lanes sum(Scalar{0});
    for (Index j = 0; j < part.keys.count(); ++j) {
      Scalar* row = column + j * tile.step();
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
void AttentionKernel::add_values(const Tile& tile, const Part& part, Scalar* rows, Index stride) {
  const Index first = part.first;
  const bool more = std::exchange(begun_[static_cast<std::size_t>(first / panel_queries)], true);
  for (Index q = first; more && q < first + part.queries; ++q) {
    if (corrections_[q] != Scalar{1}) {
      scale_row(d_value_, corrections_[q], rows + q * stride, rows + q * stride);
    }
  }
  product(part.queries, part.keys.count(), d_value_, {scores_ + part.at, 1, tile.step()},
          values_.from(part.keys.first - block_.first), rows + first * stride, stride, more);
}

// mass[q][b] = corrections[q] mass[q][b] + Σ_j weights[j][q] over the keys of bucket b
void AttentionKernel::add_mass(const HeadProblem& problem, const Tile& tile, const Part& part) {
  const Index first = part.first;
  for (Index q = first; q < first + part.queries; ++q) {
    scale_row(value_bias_.step(), corrections_[q], value_bias_.mass(q), value_bias_.mass(q));
  }
  distances_.sum_rows(panel_numbers(problem, tile, part, scores_), 1, value_bias_.mass(first),
                      value_bias_.step());
}

// y_q = Σ_j weights[j][q] v_j / Σ_j, and log_sums[q] = m_q + log Σ_j; without keys, 0 and -inf.
void AttentionKernel::finish_rows(const Tile& tile, const HeadOutput& out) {
  map_row(
      tile.columns, log_sums_,
      [](const Lanes& largest, const Lanes& sum) { return largest + xsimd::log(sum); }, largest_,
      sums_);
  for (Index q = 0; q < tile.queries; ++q) {
    Scalar* row = out.rows + (tile.first + q) * out.stride;
    Scalar& log_sum = out.log_sums[(tile.first + q) * out.log_sums_stride];
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
