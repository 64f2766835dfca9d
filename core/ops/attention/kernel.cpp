#include "core/ops/attention/kernel.hpp"

#include "core/ops/row_parts.hpp"
#include "core/product/matrix_product.hpp"

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
  // With only two sizes, batches of other lengths can reuse the freed memory.
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

void AttentionKernel::take_queries(Index first) {
  const StoredRows& query = problem_.query;
  const Index keys = problem_.key.rows;
  tile_.first = first;
  tile_.queries = std::min(tile_queries, query.rows - first);
  tile_.columns = whole_vectors(tile_.queries);
  for (Index panel = 0; panel < tile_.panels(); ++panel) {
    const Index position = problem_.query_position + first + panel * panel_queries;
    const Index begin = problem_.ranges.of(position).first;
    const Index last = problem_.ranges.of(position + tile_.queries_in(panel) - 1).last;
    KeyRange& range = tile_.keys[static_cast<std::size_t>(panel)];
    range.first = std::clamp<Index>(begin - problem_.key_position, 0, keys);
    range.end = std::clamp<Index>(last + 1 - problem_.key_position, range.first, keys);
  }
  copy_transposed(tile_.queries, query.columns, query.row(first), query.stride,
                  problem_.score.function == nullptr ? scale_ : Scalar{1}, queries_, tile_.step());
}

// If a sequence is too long for a cache, prefetches the keys of the next block or, after the last
// block, the queries of the next tile. This saves a tenth of the time at 4,096 tokens.
void AttentionKernel::fetch_ahead(const Rows& rows) {
  constexpr Index stays_in_cache = (Index{1} << 22) / sizeof(Scalar);
  if (rows.of_keys.front().rows * rows.of_keys.front().stride <= stays_in_cache) {
    return;
  }
  const KeyRange keys = KeyRange{block_.end, block_.end + block_keys}.within(tile_.all_keys());
  const KeyRange queries{tile_.first + tile_queries, tile_.first + 2 * tile_queries};
  const bool more_keys = keys.count() > 0;
  Prefetcher::Matrices matrices = more_keys ? rows.of_keys : rows.of_queries;
  for (StoredRows& matrix : matrices) {
    const KeyRange some = (more_keys ? keys : queries).within({0, matrix.rows});
    matrix = some.count() > 0 ? matrix.part(some.first, some.end) : StoredRows{};
  }
  Index calls = 0;
  for_each_part([&](const Part& part) {
    calls += prefetches(part.keys.count(), d_key_, part.columns, {nullptr, keys_.step, 1});
  });
  ahead_.emplace(matrices, std::max<Index>(calls, 1));
}

// to[i][c] = Σ_r a(i, r) b[r][c] for i < rows, c < width; with `accumulate`, += instead of =
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

// scores[j][q] = scale times the score of q and k_j, plus the bias; -inf where q may not attend to
// j. If the mask allows no pair, returns false and leaves the scores undefined.
bool AttentionKernel::scores(const Part& part) {
  if (problem_.mask != nullptr && !mark(part)) {
    return false;
  }
  Scalar* const numbers = scores_ + part.at;
  if (problem_.score.function == nullptr) {  // queries_ already contains the scale
    const Panel keys = keys_.from(part.keys.first - block_.first);
    broadcast_product(part.keys.count(), d_key_, part.columns, {keys.data, keys.step, 1},
                      queries_ + part.first, tile_.step(), {}, numbers, tile_.step(),
                      ahead_ ? &*ahead_ : nullptr);
  } else {
    problem_.score.function->scores(pairs_of(part), numbers, tile_.step());
    for (Index j = 0; j < part.keys.count(); ++j) {
      scale_row(part.columns, scale_, numbers + j * tile_.step(), numbers + j * tile_.step());
    }
  }
  if (problem_.bias.any()) {
    add_bias(part);
  }
  if (!problem_.ranges.all()) {
    apply_ranges(part);
  }
  if (problem_.mask != nullptr) {
    apply_mask(part);
  }
  return true;
}

PairPanel AttentionKernel::pairs_of(const Part& part) const {
  const Panel keys = keys_.from(part.keys.first - block_.first);
  return {.width = d_key_,
          .queries = queries_ + part.first,
          .query_step = tile_.step(),
          .query_count = part.queries,
          .columns = part.columns,
          .keys = keys.data,
          .key_step = keys.step,
          .key_count = part.keys.count(),
          .weights = problem_.score.weights};
}

// The scores. If a query keeps only its largest scores, its other scores become -inf.
bool AttentionKernel::kept_scores(const Part& part) {
  if (!scores(part)) {
    return false;
  }
  if (problem_.kept.count > 0) {
    keep_top(panel_numbers(part, scores_), part.keys.first,
             {.count = problem_.kept.count,
              .least = problem_.kept.least + part.query,
              .last = problem_.kept.last + part.query});
  }
  return true;
}

void AttentionKernel::select_top() {
  top_.start(problem_.kept.count, tile_.queries);
  for_each_block([&] {
    for_each_part([&](const Part& part) {
      if (scores(part)) {
        top_.add(panel_numbers(part, scores_), part.first, part.keys.first);
      }
    });
  });
  top_.finish(tile_.first, problem_.kept);
}

// Fills allowed_ from the mask. Returns whether the mask allows any pair.
bool AttentionKernel::mark(const Part& part) {
  bool any = false;
  for (Index q = 0; q < part.queries; ++q) {
    const auto allowed = std::span(allowed_).subspan(static_cast<std::size_t>(q * block_keys),
                                                     static_cast<std::size_t>(part.keys.count()));
    problem_.mask->mark(problem_.query_position + part.query + q,
                        problem_.key_position + part.keys.first, allowed, problem_.prefix);
    any = any || std::ranges::find(allowed, true) != allowed.end();
  }
  return any;
}

void AttentionKernel::apply_mask(const Part& part) {
  for (Index q = 0; q < part.queries; ++q) {
    for (Index j = 0; j < part.keys.count(); ++j) {
      if (!allowed_[static_cast<std::size_t>(q * block_keys + j)]) {
        scores_[part.at + j * tile_.step() + q] = minus_infinity;
      }
    }
  }
}

PanelNumbers AttentionKernel::panel_numbers(const Part& part, Scalar* numbers) const {
  return {
      .numbers = numbers + part.at,
      .step = tile_.step(),
      .keys = part.keys.count(),
      .queries = part.queries,
      .columns = part.columns,
      .distance = problem_.key_position + part.keys.first - (problem_.query_position + part.query)};
}

void AttentionKernel::add_bias(const Part& part) {
  const HeadBias& bias = problem_.bias;
  const PanelNumbers panel = panel_numbers(part, scores_);
  if (bias.buckets_used()) {
    distances_.take(*bias.buckets, panel);
  }
  if (bias.by_head != nullptr || bias.slope != 0) {
    distances_.add_by_distance(panel, bias.by_head, bias.slope);
  }
  if (bias.by_query != nullptr) {
    distances_.add_rows(panel, bias.by_query + part.query * bias.stride, bias.stride);
  }
}

// Sets the scores of keys before and after a query's range to -inf.
void AttentionKernel::apply_ranges(const Part& part) {
  const Index first_key = problem_.key_position + part.keys.first;
  const Index first_query = problem_.query_position + part.query;
  std::array<Scalar, panel_queries> begins{};
  std::array<Scalar, panel_queries> ends{};
  Index last_begin = 0;
  Index first_end = part.keys.count();
  for (Index q = 0; q < part.queries; ++q) {
    const auto [first, last] = problem_.ranges.of(first_query + q);
    const Index begin = std::clamp<Index>(first - first_key, 0, part.keys.count());
    const Index end = std::clamp<Index>(last + 1 - first_key, begin, part.keys.count());
    begins[static_cast<std::size_t>(q)] = static_cast<Scalar>(begin);
    ends[static_cast<std::size_t>(q)] = static_cast<Scalar>(end);
    last_begin = std::max(last_begin, begin);
    first_end = std::min(first_end, end);
  }
  const auto limit = [&](Index j) {
    const Lanes key(static_cast<Scalar>(j));
    for (Index first = 0; first < part.columns; first += lane_count) {
      Scalar* row = scores_ + part.at + j * tile_.step() + first;
      const auto seen = Lanes::load_unaligned(begins.data() + first) <= key &&
                        key < Lanes::load_unaligned(ends.data() + first);
      xsimd::select(seen, Lanes::load_unaligned(row), Lanes(minus_infinity)).store_unaligned(row);
    }
  };
  for (Index j = 0; j < part.keys.count(); ++j) {
    if (j < last_begin || j >= first_end) {
      limit(j);
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
