// The backward pass of attention for one head of one sequence; also returns weights to recorders.

#include "core/kernel/vector_functions.hpp"
#include "core/ops/attention/kernel.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void AttentionKernel::backward(HeadProblem problem, const HeadRows& output, HeadRows doutput,
                               const Scalar* log_sums, Index log_sums_stride,
                               const Targets& targets) {
  problem.query = used_by(problem.key.rows, problem.query);
  problem.key = used_by(problem.query.rows, problem.key);
  doutput = used_by(problem.key.rows, doutput);
  const auto gradients_of = [](const HeadRows& of, const Scalar* data, Index stride) {
    return data == nullptr ? StoredRows{} : StoredRows{data, stride, of.rows, of.width};
  };
  const Rows rows{
      .of_queries = {problem.query.stored(), output.stored(), doutput.stored(),
                     gradients_of(problem.query, targets.dquery, targets.dquery_stride)},
      .of_keys = {problem.key.stored(), problem.value.stored(),
                  gradients_of(problem.key, targets.dkey, targets.dkey_stride),
                  gradients_of(problem.value, targets.dvalue, targets.dvalue_stride)}};
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(first, problem.query.rows, problem.query_position, problem.key.rows,
                              problem.key_position, problem.ranges);
    pack_queries(problem, tile);
    take_log_sums(tile, log_sums, log_sums_stride);
    if (value_bias_.active()) {
      value_bias_.clear_mass(tile.queries);
      value_bias_.take_gradients(doutput.row(first), doutput.stride, tile.queries);
    }
    copy_transposed(tile.queries, doutput.width, doutput.row(first), doutput.stride, 1, doutputs_,
                    tile.step());
    for (Index q = 0; q < tile.queries; ++q) {
      along_[q] = dot_row(d_value_, output.row(first + q), doutput.row(first + q));
    }
    query_rows_ = panel_of(problem.query, first, tile.queries, query_room_);
    doutput_rows_ = panel_of(doutput, first, tile.queries, doutput_room_);
    for_each_block(tile, [&](const KeyRange& block) {
      take_keys(problem, block);
      fetch_ahead(rows, tile, block);
      for_each_part(tile, block, [&](const Part& part) {
        if (!kept_scores(problem, tile, part)) {
          clear(tile, part);
          return;
        }
        rebuild_weights(tile, part);
        draw_dropout(problem, tile, part);
        score_gradients(problem, tile, part);
        bias_gradients(problem, tile, part, targets.dbias);
        if (targets.dbias.values != nullptr) {
          distances_.sum_rows(panel_numbers(problem, tile, part, scores_), 1,
                              value_bias_.mass(part.first), value_bias_.step());
        }
        if (problem.score.function != nullptr) {
          pair_gradients(problem, tile, part, targets);
        } else if (targets.dquery != nullptr) {  // dq_q += Σ_j ds_jq k_j
          product(part.queries, part.keys.count(), d_key_, {gradients_ + part.at, 1, tile.step()},
                  keys_.from(part.keys.first - block_.first),
                  targets.dquery + (first + part.first) * targets.dquery_stride,
                  targets.dquery_stride, true);
        }
      });
      key_gradients(problem, tile, block, targets);
    });
    if (targets.dbias.values != nullptr) {
      value_bias_gradients(tile, targets.dbias.values);
    }
  }
}

// Queries without keys, and the columns that pad a tile, get 0, so that their weights vanish.
void AttentionKernel::take_log_sums(const Tile& tile, const Scalar* log_sums, Index stride) {
  std::fill_n(log_sums_, tile.columns, Scalar{0});
  for (Index q = 0; q < tile.queries; ++q) {
    const Scalar log_sum = log_sums[(tile.first + q) * stride];
    log_sums_[q] = log_sum == minus_infinity ? Scalar{0} : log_sum;
  }
}

// Sets weights and gradients to 0, because the sums over queries that follow read the whole tile.
void AttentionKernel::clear(const Tile& tile, const Part& part) {
  for (Index j = 0; j < part.keys.count(); ++j) {
    const Index at = part.at + j * tile.step();
    std::fill_n(scores_ + at, part.columns, Scalar{0});
    std::fill_n(gradients_ + at, part.columns, Scalar{0});
  }
}

// weights[j][q] = exp(s_jq - log_sums[q])
void AttentionKernel::rebuild_weights(const Tile& tile, const Part& part) {
  for (Index first = 0; first < part.columns; first += lane_count) {
    const Lanes shift = Lanes::load_unaligned(log_sums_ + part.first + first);
    for (Index j = 0; j < part.keys.count(); ++j) {
      Scalar* row = scores_ + part.at + j * tile.step() + first;
      exp_of_small(Lanes::load_unaligned(row) - shift).store_unaligned(row);
    }
  }
}

// With weights p and dp_jq = ((v_j + r_b) · dy_q) factor_jq: ds_jq = scale p_jq (dp_jq - Σ_i p_iq
// dp_iq), where the sum equals dy_q · y_q (Dao et al. 2022, appendix B.2). Afterwards scores_ holds
// the weights after dropout and gradients_ holds ds.
void AttentionKernel::score_gradients(const HeadProblem& problem, const Tile& tile,
                                      const Part& part) {
  const Index columns = part.columns;
  const Panel values = values_.from(part.keys.first - block_.first);
  broadcast_product(part.keys.count(), d_value_, columns, {values.data, values.step, 1},
                    doutputs_ + part.first, tile.step(), {}, gradients_ + part.at, tile.step());
  if (value_bias_.active()) {
    distances_.add_rows(panel_numbers(problem, tile, part, gradients_),
                        value_bias_.gradients(part.first), value_bias_.step());
  }
  const bool dropped = dropout_.active();
  const Lanes scale(scale_);
  for (Index first = 0; first < columns; first += lane_count) {
    const Lanes along = Lanes::load_unaligned(along_ + part.first + first);
    for (Index j = 0; j < part.keys.count(); ++j) {
      const Index at = part.at + j * tile.step() + first;
      const Lanes weight = Lanes::load_unaligned(scores_ + at);
      Lanes dweight = Lanes::load_unaligned(gradients_ + at);
      if (dropped) {
        const Lanes factor = dropout_.factors(j, first);
        (factor * weight).store_unaligned(scores_ + at);
        dweight = factor * dweight;
      }
      (scale * weight * (dweight - along)).store_unaligned(gradients_ + at);
    }
  }
}

// The gradients of queries, keys and the score's learned numbers, from ds_jq = scale dL/ds_jq.
void AttentionKernel::pair_gradients(const HeadProblem& problem, const Tile& tile, const Part& part,
                                     const Targets& targets) {
  const Index query = tile.first + part.first;
  const auto row_of = [](Scalar* rows, Index row, Index stride) {
    return rows == nullptr ? nullptr : rows + row * stride;
  };
  problem.score.function->gradients(
      pairs_of(problem, tile, part), gradients_ + part.at, tile.step(),
      {.queries = row_of(targets.dquery, query, targets.dquery_stride),
       .query_stride = targets.dquery_stride,
       .keys = row_of(targets.dkey, part.keys.first, targets.dkey_stride),
       .key_stride = targets.dkey_stride,
       .weights = targets.dscore_weights});
}

// dk_j += Σ_q ds_jq q_q (dot products only),  dv_j += Σ_q p_jq dy_q
void AttentionKernel::key_gradients(const HeadProblem& problem, const Tile& tile,
                                    const KeyRange& block, const Targets& targets) {
  for_each_run(tile, block, [&](const KeyRange& keys, Index query, Index queries) {
    const Index at = (keys.first - block.first) * tile.step() + query;
    if (targets.dkey != nullptr && problem.score.function == nullptr) {
      product(keys.count(), queries, d_key_, {gradients_ + at, tile.step(), 1},
              query_rows_.from(query), targets.dkey + keys.first * targets.dkey_stride,
              targets.dkey_stride, true);
    }
    if (targets.dvalue != nullptr) {
      product(keys.count(), queries, d_value_, {scores_ + at, tile.step(), 1},
              doutput_rows_.from(query), targets.dvalue + keys.first * targets.dvalue_stride,
              targets.dvalue_stride, true);
    }
  });
}

// db_h += Σ_q ds_jq,  db_q += Σ_j ds_jq, each over the keys of a bucket. gradients_ holds scale ds.
void AttentionKernel::bias_gradients(const HeadProblem& problem, const Tile& tile, const Part& part,
                                     const HeadBiasTargets& targets) {
  const PanelNumbers panel = panel_numbers(problem, tile, part, gradients_);
  const Scalar factor = 1 / scale_;
  if (targets.by_head != nullptr) {
    distances_.sum_by_distance(panel, factor, targets.by_head);
  }
  if (targets.by_query != nullptr) {
    const Index query = tile.first + part.first;
    distances_.sum_rows(panel, factor, targets.by_query + query * targets.stride, targets.stride);
  }
}

// dr_b += Σ_q mass[q][b] dy_q
void AttentionKernel::value_bias_gradients(const Tile& tile, Scalar* dvalues) {
  for (Index b = 0; b < value_bias_.buckets(); b += block_keys) {
    product(std::min(block_keys, value_bias_.buckets() - b), tile.queries, d_value_,
            {value_bias_.mass(0) + b, 1, value_bias_.step()}, doutput_rows_, dvalues + b * d_value_,
            d_value_, true);
  }
}

void AttentionKernel::weights_and_scores(const HeadProblem& problem, const Scalar* log_sums,
                                         Index log_sums_stride, Scalar* weights, Scalar* scores,
                                         Index stride, Index step) {
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(first, problem.query.rows, problem.query_position, problem.key.rows,
                              problem.key_position, problem.ranges);
    pack_queries(problem, tile);
    take_log_sums(tile, log_sums, log_sums_stride);
    for_each_block(tile, [&](const KeyRange& block) {
      take_keys(problem, block);
      for_each_part(tile, block, [&](const Part& part) {
        if (!kept_scores(problem, tile, part)) {
          return;
        }
        const auto for_each_number = [&](const auto& visit) {
          for (Index q = 0; q < part.queries; ++q) {
            for (Index j = 0; j < part.keys.count(); ++j) {
              visit((first + part.first + q) * stride + (part.keys.first + j) * step,
                    scores_[part.at + j * tile.step() + q]);
            }
          }
        };
        for_each_number([&](Index at, Scalar score) {
          scores[at] = score == minus_infinity ? scores[at] : score;
        });
        rebuild_weights(tile, part);
        for_each_number([&](Index at, Scalar weight) { weights[at] += weight; });
      });
    });
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
