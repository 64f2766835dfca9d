#include "core/ops/attention_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

Index whole_vectors(Index width) { return (width + lane_count - 1) / lane_count * lane_count; }

// Rows of whole vectors: the matrix' own where the width allows it, else copies in `room` with
// zeros behind.
Panel panel_of(const HeadRows& from, Index first, Index count, Scalar* room) {
  if (from.width % lane_count == 0) {
    return {from.row(first), from.stride};
  }
  const Index step = whole_vectors(from.width);
  for (Index i = 0; i < count; ++i) {
    std::copy_n(from.row(first + i), from.width, room + i * step);
    std::fill(room + i * step + from.width, room + (i + 1) * step, Scalar{0});
  }
  return {room, step};
}

// columns[c][q] = factor rows[q][c], with zeros for the queries that a tile lacks.
void pack_columns(const HeadRows& from, Index first, Index count, Index columns, Scalar factor,
                  Scalar* to) {
  for (Index q = 0; q < count; ++q) {
    const Scalar* row = from.row(first + q);
    for (Index c = 0; c < from.width; ++c) {
      to[c * columns + q] = factor * row[c];
    }
  }
  for (Index c = 0; c < from.width; ++c) {
    std::fill(to + c * columns + count, to + (c + 1) * columns, Scalar{0});
  }
}

}  // namespace

AttentionKernel::AttentionKernel(Index d_key, Index d_value, Scalar scale, const Dropout& dropout)
    : d_key_(d_key), d_value_(d_value), scale_(scale), dropout_(dropout) {
  const Index key_step = whole_vectors(d_key);
  const Index value_step = whole_vectors(d_value);
  const Index widest = std::max(key_step, value_step);
  memory_ = Tensor::empty({block_keys * (key_step + value_step) + 2 * block_keys * tile_queries +
                           block_keys * panel_queries + (d_key + d_value) * tile_queries +
                           tile_queries * widest + std::max(block_keys, tile_queries) * widest +
                           4 * tile_queries});
  Scalar* next = memory_.data();
  const auto take = [&next](Index numbers) { return std::exchange(next, next + numbers); };
  key_room_ = take(block_keys * key_step);
  value_room_ = take(block_keys * value_step);
  scores_ = take(block_keys * tile_queries);
  gradients_ = take(block_keys * tile_queries);
  factors_ = take(block_keys * panel_queries);
  queries_ = take(d_key * tile_queries);
  doutputs_ = take(d_value * tile_queries);
  row_room_ = take(tile_queries * widest);
  product_ = take(std::max(block_keys, tile_queries) * widest);
  largest_ = take(tile_queries);
  sums_ = take(tile_queries);
  corrections_ = take(tile_queries);
  along_ = take(tile_queries);
}

template <class Visitor>
void AttentionKernel::for_each_part(const Tile& tile, const KeyRange& block,
                                    const Visitor& visit) const {
  for (Index panel = 0; panel < tile.panels(); ++panel) {
    const KeyRange keys = tile.keys_of(panel).within(block);
    if (keys.count() > 0) {
      visit(Part{.panel = panel,
                 .keys = keys,
                 .at = (keys.first - block.first) * tile.columns + panel * panel_queries});
    }
  }
}

void AttentionKernel::pack_queries(const HeadProblem& problem, const Tile& tile) {
  pack_columns(problem.query, tile.first, tile.queries, tile.columns, scale_, queries_);
}

void AttentionKernel::take_keys(const HeadProblem& problem, const KeyRange& block) {
  block_ = block;
  keys_ = panel_of(problem.key, block.first, block.count(), key_room_);
  values_ = panel_of(problem.value, block.first, block.count(), value_room_);
}

// to[i][c] (+)= Σ_r a(i, r) b[r][c] for i < rows, c < width
void AttentionKernel::product(Index rows, Index depth, Index width, Broadcast a, Panel b,
                              Scalar* to, Index stride, bool accumulate) {
  if (width % lane_count == 0) {
    broadcast_product(rows, depth, width, a, b.data, b.step,
                      accumulate ? Start{to, stride} : Start{}, to, stride);
    return;
  }
  const Index step = whole_vectors(width);
  broadcast_product(rows, depth, step, a, b.data, b.step, {}, product_, step);
  for (Index i = 0; i < rows; ++i) {
    if (accumulate) {
      add_to(to + i * stride, product_ + i * step, width);
    } else {
      std::copy_n(product_ + i * step, width, to + i * stride);
    }
  }
}

// scores[j][q] = scale k_j · q
void AttentionKernel::scores(const HeadProblem& problem, const Tile& tile, const Part& part) {
  const Panel keys = keys_.from(part.keys.first - block_.first);
  broadcast_product(part.keys.count(), d_key_, tile.panel_columns(part.panel),
                    {keys.data, keys.step, 1}, queries_ + part.panel * panel_queries, tile.columns,
                    {}, scores_ + part.at, tile.columns);
  if (!problem.pattern.is_full()) {
    apply_pattern(problem, tile, part);
  }
}

// Scores of keys that a query may not attend to become -inf: those before and behind its range.
void AttentionKernel::apply_pattern(const HeadProblem& problem, const Tile& tile,
                                    const Part& part) {
  const Index first_key = problem.key_position + part.keys.first;
  const Index first_query = problem.query_position + tile.first + part.panel * panel_queries;
  std::array<Scalar, panel_queries> begins{};
  std::array<Scalar, panel_queries> ends{};
  Index last_begin = 0;
  Index first_end = part.keys.count();
  for (Index q = 0; q < tile.queries_in(part.panel); ++q) {
    const auto [first, last] = problem.pattern.range(first_query + q);
    const Index begin = std::clamp<Index>(first - first_key, 0, part.keys.count());
    const Index end = std::clamp<Index>(last + 1 - first_key, begin, part.keys.count());
    begins[static_cast<std::size_t>(q)] = static_cast<Scalar>(begin);
    ends[static_cast<std::size_t>(q)] = static_cast<Scalar>(end);
    last_begin = std::max(last_begin, begin);
    first_end = std::min(first_end, end);
  }
  const auto limit = [&](Index j) {
    const Lanes key(static_cast<Scalar>(j));
    for (Index first = 0; first < tile.panel_columns(part.panel); first += lane_count) {
      Scalar* row = scores_ + part.at + j * tile.columns + first;
      const auto seen = Lanes::load_unaligned(begins.data() + first) <= key &&
                        key < Lanes::load_unaligned(ends.data() + first);
      xsimd::select(seen, Lanes::load_unaligned(row), Lanes(minus_infinity)).store_unaligned(row);
    }
  };
  for (Index j = 0; j < last_begin; ++j) {
    limit(j);
  }
  for (Index j = std::max(last_begin, first_end); j < part.keys.count(); ++j) {
    limit(j);
  }
}

// weights[j][q] = exp(s_jq - m_q), where m_q is the largest score of this block and those before.
// Sums and outputs so far were made with an earlier m_q and are to be corrected by exp(m_q before -
// m_q).
void AttentionKernel::softmax(const Tile& tile, const Part& part) {
  for (Index first = 0; first < tile.panel_columns(part.panel); first += lane_count) {
    Scalar* column = scores_ + part.at + first;
    const Index q = part.panel * panel_queries + first;
    const Lanes before = Lanes::load_unaligned(largest_ + q);
    Lanes largest = before;
    for (Index j = 0; j < part.keys.count(); ++j) {
      largest = xsimd::max(largest, Lanes::load_unaligned(column + j * tile.columns));
    }
    const Lanes shift = xsimd::select(largest == Lanes(minus_infinity), Lanes(Scalar{0}), largest);
    Lanes sum(Scalar{0});
    for (Index j = 0; j < part.keys.count(); ++j) {
      Scalar* row = column + j * tile.columns;
      const Lanes weight = xsimd::exp(Lanes::load_unaligned(row) - shift);
      weight.store_unaligned(row);
      sum += weight;
    }
    const Lanes correction = xsimd::exp(before - shift);
    xsimd::fma(correction, Lanes::load_unaligned(sums_ + q), sum).store_unaligned(sums_ + q);
    largest.store_unaligned(largest_ + q);
    correction.store_unaligned(corrections_ + q);
  }
}

// numbers[j][q] *= the factors of dropout
void AttentionKernel::drop(const Tile& tile, const Part& part, Scalar* numbers) {
  const Index columns = tile.panel_columns(part.panel);
  for (Index j = 0; j < part.keys.count(); ++j) {
    Scalar* row = numbers + part.at + j * tile.columns;
    map_row(
        columns, row, [](const Lanes& p, const Lanes& f) { return p * f; }, row,
        factors_ + j * columns);
  }
}

void AttentionKernel::draw_dropout(const HeadProblem& problem, const Tile& tile, const Part& part) {
  dropout_.draw(problem.query_row + tile.first + part.panel * panel_queries,
                tile.panel_columns(part.panel), problem.head,
                problem.key_position + part.keys.first, part.keys.count(), factors_);
}

// y_q = Σ_j weights[j][q] v_j / Σ_j, and log_sums[q] = m_q + log Σ_j; zeros and -inf without keys.
void AttentionKernel::finish_rows(const Tile& tile, Scalar* rows, Index stride, Scalar* log_sums) {
  for (Index q = 0; q < tile.queries; q += lane_count) {
    const Index real = std::min(lane_count, tile.queries - q);
    store_some(log_sums + q, real,
               Lanes::load_unaligned(largest_ + q) + xsimd::log(Lanes::load_unaligned(sums_ + q)));
  }
  for (Index q = 0; q < tile.queries; ++q) {
    Scalar* row = rows + q * stride;
    if (sums_[q] == Scalar{0}) {
      std::fill_n(row, d_value_, Scalar{0});
      log_sums[q] = minus_infinity;
    } else {
      map_row(d_value_, row, [f = Lanes(1 / sums_[q])](const Lanes& a) { return f * a; }, row);
    }
  }
}

void AttentionKernel::forward(const HeadProblem& problem, Scalar* out, Index out_stride,
                              Scalar* log_sums) {
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(first, problem.query.rows, problem.query_position, problem.key.rows,
                              problem.key_position, problem.pattern);
    pack_queries(problem, tile);
    std::fill_n(largest_, tile.columns, minus_infinity);
    std::fill_n(sums_, tile.columns, Scalar{0});
    Scalar* rows = out + first * out_stride;
    for_each_block(tile, [&](const KeyRange& block) {
      take_keys(problem, block);
      for_each_part(tile, block, [&](const Part& part) {
        scores(problem, tile, part);
        softmax(tile, part);
        if (dropout_.active()) {
          draw_dropout(problem, tile, part);
          drop(tile, part, scores_);
        }
        add_values(tile, part, rows, out_stride);
      });
    });
    finish_rows(tile, rows, out_stride, log_sums + first);
  }
}

// y_q = corrections[q] y_q + Σ_j weights[j][q] v_j; nothing was there before the panel's first
// keys.
void AttentionKernel::add_values(const Tile& tile, const Part& part, Scalar* rows, Index stride) {
  const bool more = part.keys.first > tile.keys_of(part.panel).first;
  const Index first = part.panel * panel_queries;
  const Index queries = tile.queries_in(part.panel);
  for (Index q = first; more && q < first + queries; ++q) {
    if (corrections_[q] != Scalar{1}) {
      map_row(
          d_value_, rows + q * stride,
          [f = Lanes(corrections_[q])](const Lanes& a) { return f * a; }, rows + q * stride);
    }
  }
  product(queries, part.keys.count(), d_value_, {scores_ + part.at, 1, tile.columns},
          values_.from(part.keys.first - block_.first), rows + first * stride, stride, more);
}

// weights[j][q] = exp(s_jq - log_sums[q])
void AttentionKernel::rebuild_weights(const Tile& tile, const Part& part, const Scalar* log_sums) {
  for (Index first = 0; first < tile.panel_columns(part.panel); first += lane_count) {
    const Index q = part.panel * panel_queries + first;
    const Index real = std::clamp<Index>(tile.queries - q, 0, lane_count);
    const Lanes log_sum = real == lane_count ? Lanes::load_unaligned(log_sums + tile.first + q)
                                             : load_some(log_sums + tile.first + q, real);
    const Lanes shift = xsimd::select(log_sum == Lanes(minus_infinity), Lanes(Scalar{0}), log_sum);
    for (Index j = 0; j < part.keys.count(); ++j) {
      Scalar* row = scores_ + part.at + j * tile.columns + first;
      xsimd::exp(Lanes::load_unaligned(row) - shift).store_unaligned(row);
    }
  }
}

// With weights p and dp_jq = (v_j · dy_q) factor_jq: ds_jq = scale p_jq (dp_jq - Σ_i p_iq
// dp_iq), where the sum is dy_q · y_q (Dao et al. 2022, appendix B.2). Afterwards scores_ holds the
// weights after dropout and gradients_ holds ds.
void AttentionKernel::score_gradients(const HeadProblem& problem, const Tile& tile,
                                      const Part& part) {
  const Index columns = tile.panel_columns(part.panel);
  const Panel values = values_.from(part.keys.first - block_.first);
  broadcast_product(part.keys.count(), d_value_, columns, {values.data, values.step, 1},
                    doutputs_ + part.panel * panel_queries, tile.columns, {}, gradients_ + part.at,
                    tile.columns);
  const bool dropped = dropout_.active();
  if (dropped) {
    draw_dropout(problem, tile, part);
    drop(tile, part, gradients_);
  }
  const Lanes factor(scale_);
  for (Index first = 0; first < columns; first += lane_count) {
    const Lanes along = Lanes::load_unaligned(along_ + part.panel * panel_queries + first);
    for (Index j = 0; j < part.keys.count(); ++j) {
      const Index at = part.at + j * tile.columns + first;
      const Lanes weight = factor * Lanes::load_unaligned(scores_ + at);
      (weight * (Lanes::load_unaligned(gradients_ + at) - along)).store_unaligned(gradients_ + at);
    }
  }
  if (dropped) {
    drop(tile, part, scores_);
  }
}

// dk_j += Σ_q ds_jq q_q,  dv_j += Σ_q p_jq dy_q
void AttentionKernel::key_gradients(const HeadProblem& problem, const Tile& tile,
                                    const KeyRange& block, const HeadRows& doutput,
                                    const Targets& targets) {
  for_each_run(tile, block, [&](const KeyRange& keys, Index query, Index queries) {
    const Index at = (keys.first - block.first) * tile.columns + query;
    if (targets.dkey != nullptr) {
      product(keys.count(), queries, d_key_, {gradients_ + at, tile.columns, 1},
              panel_of(problem.query, tile.first + query, queries, row_room_),
              targets.dkey + keys.first * targets.dkey_stride, targets.dkey_stride, true);
    }
    if (targets.dvalue != nullptr) {
      product(keys.count(), queries, d_value_, {scores_ + at, tile.columns, 1},
              panel_of(doutput, tile.first + query, queries, row_room_),
              targets.dvalue + keys.first * targets.dvalue_stride, targets.dvalue_stride, true);
    }
  });
}

void AttentionKernel::backward(const HeadProblem& problem, const HeadRows& output,
                               const HeadRows& doutput, const Scalar* log_sums,
                               const Targets& targets) {
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(first, problem.query.rows, problem.query_position, problem.key.rows,
                              problem.key_position, problem.pattern);
    pack_queries(problem, tile);
    pack_columns(doutput, first, tile.queries, tile.columns, 1, doutputs_);
    for (Index q = 0; q < tile.queries; ++q) {
      along_[q] = sum_row(
          d_value_, [](const Lanes& a, const Lanes& b) { return a * b; }, output.row(first + q),
          doutput.row(first + q));
    }
    for_each_block(tile, [&](const KeyRange& block) {
      take_keys(problem, block);
      for_each_part(tile, block, [&](const Part& part) {
        scores(problem, tile, part);
        rebuild_weights(tile, part, log_sums);
        score_gradients(problem, tile, part);
        if (targets.dquery != nullptr) {  // dq_q += Σ_j ds_jq k_j
          product(tile.queries_in(part.panel), part.keys.count(), d_key_,
                  {gradients_ + part.at, 1, tile.columns},
                  keys_.from(part.keys.first - block.first),
                  targets.dquery + (first + part.panel * panel_queries) * targets.dquery_stride,
                  targets.dquery_stride, true);
        }
      });
      key_gradients(problem, tile, block, doutput, targets);
    });
  }
}

void AttentionKernel::weights(const HeadProblem& problem, const Scalar* log_sums, Scalar* weights) {
  std::fill_n(weights, problem.query.rows * problem.key.rows, Scalar{0});
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(first, problem.query.rows, problem.query_position, problem.key.rows,
                              problem.key_position, problem.pattern);
    pack_queries(problem, tile);
    for_each_block(tile, [&](const KeyRange& block) {
      take_keys(problem, block);
      for_each_part(tile, block, [&](const Part& part) {
        scores(problem, tile, part);
        rebuild_weights(tile, part, log_sums);
        for (Index q = 0; q < tile.queries_in(part.panel); ++q) {
          Scalar* row = weights + (first + part.panel * panel_queries + q) * problem.key.rows;
          for (Index j = 0; j < part.keys.count(); ++j) {
            row[part.keys.first + j] = scores_[part.at + j * tile.columns + q];
          }
        }
      });
    });
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
