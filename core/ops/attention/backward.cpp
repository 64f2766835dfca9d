// The backward pass of attention for one head of one sequence; also returns weights to recorders.

#include "core/kernel/vector_functions.hpp"
#include "core/ops/attention/kernel.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void AttentionKernel::backward(const HeadProblem& problem, const StoredRows& output,
                               HeadRows doutput, const Scalar* log_sums, Index log_sums_stride,
                               const Targets& targets) {
  problem_ = problem;
  problem_.query = used_by(problem.key.rows, problem.query);
  problem_.key = used_by(problem.query.rows, problem.key);
  doutput = used_by(problem.key.rows, doutput);
  const auto gradients_of = [](const StoredRows& of, const GradientRows& to) {
    return to.data == nullptr ? StoredRows{} : StoredRows{to.data, to.stride, of.rows, of.columns};
  };
  const Rows rows{
      .of_queries = {problem.query, output, doutput, gradients_of(problem.query, targets.dquery)},
      .of_keys = {problem.key, problem.value, gradients_of(problem.key, targets.dkey),
                  gradients_of(problem.value, targets.dvalue)}};
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    take_queries(first);
    take_log_sums(log_sums, log_sums_stride);
    if (value_bias_.active()) {
      value_bias_.clear_mass(tile_.queries);
      value_bias_.take_gradients(doutput.row(first), doutput.stride, tile_.queries);
    }
    copy_transposed(tile_.queries, doutput.columns, doutput.row(first), doutput.stride, 1,
                    doutputs_, tile_.step());
    for (Index q = 0; q < tile_.queries; ++q) {
      along_[q] = dot_row(d_value_, output.row(first + q), doutput.row(first + q));
    }
    query_rows_ = panel_of(problem_.query, first, tile_.queries, query_room_);
    doutput_rows_ = panel_of(doutput, first, tile_.queries, doutput_room_);
    for_each_block([&] {
      fetch_ahead(rows);
      for_each_part([&](const Part& part) {
        if (!kept_scores(part)) {
          clear(part);
          return;
        }
        rebuild_weights(part);
        dropout_.draw(problem_.draws.from(part.query, part.keys.first), part.columns,
                      part.keys.count());
        score_gradients(part);
        bias_gradients(part, targets.dbias);
        if (problem.score.function != nullptr) {
          pair_gradients(part, targets);
        } else if (targets.dquery.data != nullptr) {  // dq_q += Σ_j ds_jq k_j
          product(part.queries, part.keys.count(), d_key_, {gradients_ + part.at, 1, tile_.step()},
                  keys_.from(part.keys.first - block_.first), targets.dquery.row(part.query),
                  targets.dquery.stride, true);
        }
      });
      key_gradients(targets);
    });
    if (targets.dbias.values != nullptr) {
      value_bias_gradients(targets.dbias.values);
    }
  }
}

// Queries without keys, and the columns that pad a tile, get 0, so that their weights vanish.
void AttentionKernel::take_log_sums(const Scalar* log_sums, Index stride) {
  std::fill_n(log_sums_, tile_.columns, Scalar{0});
  for (Index q = 0; q < tile_.queries; ++q) {
    const Scalar log_sum = log_sums[(tile_.first + q) * stride];
    log_sums_[q] = log_sum == minus_infinity ? Scalar{0} : log_sum;
  }
}

// Sets weights and gradients to 0, because the sums over queries that follow read the whole tile.
void AttentionKernel::clear(const Part& part) {
  for (Index j = 0; j < part.keys.count(); ++j) {
    const Index at = part.at + j * tile_.step();
    std::fill_n(scores_ + at, part.columns, Scalar{0});
    std::fill_n(gradients_ + at, part.columns, Scalar{0});
  }
}

// weights[j][q] = exp(s_jq - log_sums[q])
void AttentionKernel::rebuild_weights(const Part& part) {
  const Index keys = part.keys.count();
  const Index step = tile_.step();
  for (Index first = 0; first < part.columns; first += lane_count) {
    Scalar* const column = scores_ + part.at + first;
    const Lanes shift = Lanes::load_unaligned(log_sums_ + part.first + first);
    for (Index j = 0; j < keys; ++j) {
      Scalar* row = column + j * step;
      exp_of_small(Lanes::load_unaligned(row) - shift).store_unaligned(row);
    }
  }
}

// With weights p and dp_jq = ((v_j + r_b) · dy_q) factor_jq: ds_jq = scale p_jq (dp_jq - Σ_i p_iq
// dp_iq), where the sum equals dy_q · y_q (Dao et al. 2022, appendix B.2). Afterwards scores_ holds
// the weights after dropout and gradients_ holds ds.
void AttentionKernel::score_gradients(const Part& part) {
  const Index keys = part.keys.count();
  const Index columns = part.columns;
  const Index step = tile_.step();
  const Panel values = values_.from(part.keys.first - block_.first);
  broadcast_product(keys, d_value_, columns, {values.data, values.step, 1}, doutputs_ + part.first,
                    step, {}, gradients_ + part.at, step);
  if (value_bias_.active()) {
    distances_.add_rows(panel_numbers(part, gradients_), value_bias_.gradients.row(part.first),
                        value_bias_.step);
  }
  const bool dropped = dropout_.active();
  const Lanes scale(scale_);
  for (Index first = 0; first < columns; first += lane_count) {
    const Lanes along = Lanes::load_unaligned(along_ + part.first + first);
    Scalar* const weights = scores_ + part.at + first;
    Scalar* const gradients = gradients_ + part.at + first;
    for (Index j = 0; j < keys; ++j) {
      const Lanes weight = Lanes::load_unaligned(weights + j * step);
      Lanes dweight = Lanes::load_unaligned(gradients + j * step);
      if (dropped) {
        const Lanes factor = dropout_.factors(j, first);
        (factor * weight).store_unaligned(weights + j * step);
        dweight = factor * dweight;
      }
      (scale * weight * (dweight - along)).store_unaligned(gradients + j * step);
    }
  }
}

// The gradients of queries, keys and the score's learned numbers, from ds_jq = scale dL/ds_jq.
void AttentionKernel::pair_gradients(const Part& part, const Targets& targets) {
  problem_.score.function->gradients(pairs_of(part), gradients_ + part.at, tile_.step(),
                                     {.queries = targets.dquery.row(part.query),
                                      .query_stride = targets.dquery.stride,
                                      .keys = targets.dkey.row(part.keys.first),
                                      .key_stride = targets.dkey.stride,
                                      .weights = targets.dscore_weights});
}

// dk_j += Σ_q ds_jq q_q (dot products only),  dv_j += Σ_q p_jq dy_q
void AttentionKernel::key_gradients(const Targets& targets) {
  for_each_run(tile_, block_, [&](const KeyRange& keys, Index query, Index queries) {
    const Index at = (keys.first - block_.first) * tile_.step() + query;
    if (targets.dkey.data != nullptr && problem_.score.function == nullptr) {
      product(keys.count(), queries, d_key_, {gradients_ + at, tile_.step(), 1},
              query_rows_.from(query), targets.dkey.row(keys.first), targets.dkey.stride, true);
    }
    if (targets.dvalue.data != nullptr) {
      product(keys.count(), queries, d_value_, {scores_ + at, tile_.step(), 1},
              doutput_rows_.from(query), targets.dvalue.row(keys.first), targets.dvalue.stride,
              true);
    }
  });
}

// db_h += Σ_q ds_jq,  db_q += Σ_j ds_jq,  mass_q += Σ_j p_jq, by bucket. gradients_ holds scale ds.
void AttentionKernel::bias_gradients(const Part& part, const HeadBiasTargets& targets) {
  const PanelNumbers panel = panel_numbers(part, gradients_);
  const Scalar factor = 1 / scale_;
  if (targets.by_head != nullptr) {
    distances_.sum_by_distance(panel, factor, targets.by_head);
  }
  if (targets.by_query != nullptr) {
    distances_.sum_rows(panel, factor, targets.by_query + part.query * targets.stride,
                        targets.stride);
  }
  if (targets.values != nullptr) {
    distances_.sum_rows(panel_numbers(part, scores_), 1, value_bias_.mass.row(part.first),
                        value_bias_.step);
  }
}

// dr_b += Σ_q mass[q][b] dy_q
void AttentionKernel::value_bias_gradients(Scalar* dvalues) {
  for (Index b = 0; b < value_bias_.buckets; b += block_keys) {
    product(std::min(block_keys, value_bias_.buckets - b), tile_.queries, d_value_,
            {value_bias_.mass.data() + b, 1, value_bias_.step}, doutput_rows_,
            dvalues + b * d_value_, d_value_, true);
  }
}

void AttentionKernel::weights_and_scores(const HeadProblem& problem, const Scalar* log_sums,
                                         Index log_sums_stride, Scalar* weights, Scalar* scores,
                                         Index stride, Index step) {
  problem_ = problem;
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    take_queries(first);
    take_log_sums(log_sums, log_sums_stride);
    for_each_block([&] {
      for_each_part([&](const Part& part) {
        if (!kept_scores(part)) {
          return;
        }
        const auto for_each_number = [&](const auto& visit) {
          for (Index q = 0; q < part.queries; ++q) {
            for (Index j = 0; j < part.keys.count(); ++j) {
              visit((part.query + q) * stride + (part.keys.first + j) * step,
                    scores_[part.at + j * tile_.step() + q]);
            }
          }
        };
        for_each_number([&](Index at, Scalar score) {
          scores[at] = score == minus_infinity ? scores[at] : score;
        });
        rebuild_weights(part);
        for_each_number([&](Index at, Scalar weight) { weights[at] += weight; });
      });
    });
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
