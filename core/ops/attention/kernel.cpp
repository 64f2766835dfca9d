#include "core/ops/attention/kernel.hpp"

#include "core/product/packed_matrix.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

AttentionKernel::AttentionKernel(const AttentionOptions& options, Index most_queries,
                                 const Tensor& value_bias)
    : d_key_(options.d_key),
      d_value_(options.d_value),
      scale_(options.score_factor()),
      dropout_(options.dropout),
      value_bias_(value_bias) {
  const Index key_step = whole_vectors(d_key_);
  const Index value_step = whole_vectors(d_value_);
  // Only two sizes, so that batches with other lengths can reuse the memory that others have freed.
  const Index queries = most_queries <= panel_queries ? panel_queries : tile_queries;
  const Index step = queries == tile_queries ? tile_step : queries;
  const std::array<std::pair<Scalar**, Index>, 14> arrays{
      {{&key_room_, block_keys * key_step},
       {&value_room_, block_keys * value_step},
       {&scores_, block_keys * step},
       {&gradients_, block_keys * step},
       {&queries_, d_key_ * step},
       {&doutputs_, d_value_ * step},
       {&query_room_, queries * key_step},
       {&doutput_room_, queries * value_step},
       {&product_, std::max(block_keys, queries) * std::max(key_step, value_step)},
       {&largest_, queries},
       {&sums_, queries},
       {&corrections_, queries},
       {&log_sums_, queries},
       {&along_, queries}}};
  Index numbers = 0;
  for (const auto& [array, size] : arrays) {
    numbers += size;
  }
  memory_ = Tensor::empty({numbers});
  Scalar* next = memory_.data();
  for (const auto& [array, size] : arrays) {
    *array = std::exchange(next, next + size);
  }
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

// While one block is scored, the keys of the next one are prefetched, or after the last block the
// queries of the next tile. Only if sequences are too long for a cache: it saves a tenth of the
// time of 4,096 tokens.
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
