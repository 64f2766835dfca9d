#include "core/ops/attention_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/transpose.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

AttentionKernel::AttentionKernel(Index d_key, Index d_value, Scalar scale, const Dropout& dropout,
                                 const Tensor& value_bias)
    : d_key_(d_key), d_value_(d_value), scale_(scale), dropout_(dropout), value_bias_(value_bias) {
  const Index key_step = whole_vectors(d_key);
  const Index value_step = whole_vectors(d_value);
  const Index widest = std::max(key_step, value_step);
  memory_ = Tensor::empty({block_keys * (key_step + value_step) + 2 * block_keys * tile_step +
                           (d_key + d_value) * tile_step + tile_queries * widest +
                           std::max(block_keys, tile_queries) * widest + 5 * tile_queries});
  Scalar* next = memory_.data();
  const auto take = [&next](Index numbers) { return std::exchange(next, next + numbers); };
  key_room_ = take(block_keys * key_step);
  value_room_ = take(block_keys * value_step);
  scores_ = take(block_keys * tile_step);
  gradients_ = take(block_keys * tile_step);
  queries_ = take(d_key * tile_step);
  doutputs_ = take(d_value * tile_step);
  row_room_ = take(tile_queries * widest);
  product_ = take(std::max(block_keys, tile_queries) * widest);
  largest_ = take(tile_queries);
  sums_ = take(tile_queries);
  corrections_ = take(tile_queries);
  log_sums_ = take(tile_queries);
  along_ = take(tile_queries);
}

void AttentionKernel::pack_queries(const HeadProblem& problem, const Tile& tile) {
  const Scalar factor = problem.score.function == nullptr ? scale_ : Scalar{1};
  copy_transposed(tile.queries, problem.query.width, problem.query.row(tile.first),
                  problem.query.stride, factor, queries_, tile.step());
}

void AttentionKernel::take_keys(const HeadProblem& problem, const KeyRange& block) {
  ahead_.reset();
  block_ = block;
  keys_ = panel_of(problem.key, block.first, block.count(), key_room_);
  values_ = panel_of(problem.value, block.first, block.count(), value_room_);
}

// The next block's keys are fetched while this one is scored or, after the last block, the queries
// of the next tile, where sequences are too long to be in a cache.
void AttentionKernel::fetch_ahead(const Rows& rows, const Tile& tile, const KeyRange& block) {
  constexpr Index stays_in_cache = (Index{1} << 22) / sizeof(Scalar);
  if (rows.of_keys.front().rows * rows.of_keys.front().stride <= stays_in_cache) {
    return;
  }
  const KeyRange keys = KeyRange{block.end, block.end + block_keys}.within(tile.all_keys());
  const KeyRange queries{tile.first + tile_queries, tile.first + 2 * tile_queries};
  const bool more_keys = keys.count() > 0;
  Prefetcher::Matrices matrices = more_keys ? rows.of_keys : rows.of_queries;
  for (StoredRows& matrix : matrices) {
    const KeyRange some = (more_keys ? keys : queries).within({0, matrix.rows});
    matrix = some.count() > 0 ? matrix.part(some.first, some.end) : StoredRows{};
  }
  Index calls = 0;
  for_each_part(tile, block, [&](const Part& part) {
    calls += prefetches(part.keys.count(), d_key_, part.columns, {nullptr, keys_.step, 1});
  });
  ahead_.emplace(matrices, std::max<Index>(calls, 1));
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

void AttentionKernel::draw_dropout(const HeadProblem& problem, const Tile& tile, const Part& part) {
  if (dropout_.active()) {
    dropout_.draw(problem.draws.from(tile.first + part.first, part.keys.first), part.columns,
                  part.keys.count());
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
