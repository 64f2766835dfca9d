// The scores of some queries and a block of keys.

#include "core/ops/attention/kernel.hpp"
#include "core/ops/row_sums.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// scores[j][q] = scale times the score of q and k_j, plus the bias; -inf where q may not attend to
// j. Returns false, and makes no scores, if no query may attend to any key.
bool AttentionKernel::scores(const HeadProblem& problem, const Tile& tile, const Part& part) {
  if (problem.mask != nullptr && !mark(problem, tile, part)) {
    return false;
  }
  Scalar* const numbers = scores_ + part.at;
  if (problem.score.function == nullptr) {  // the queries are scaled
    const Panel keys = keys_.from(part.keys.first - block_.first);
    broadcast_product(part.keys.count(), d_key_, part.columns, {keys.data, keys.step, 1},
                      queries_ + part.first, tile.step(), {}, numbers, tile.step(),
                      ahead_ ? &*ahead_ : nullptr);
  } else {
    problem.score.function->scores(pairs_of(problem, tile, part), numbers, tile.step());
    for (Index j = 0; j < part.keys.count(); ++j) {
      scale_row(part.columns, scale_, numbers + j * tile.step(), numbers + j * tile.step());
    }
  }
  if (problem.bias.any()) {
    add_bias(problem, tile, part);
  }
  if (!problem.ranges.all()) {
    apply_ranges(problem, tile, part);
  }
  if (problem.mask != nullptr) {
    apply_mask(tile, part);
  }
  return true;
}

PairPanel AttentionKernel::pairs_of(const HeadProblem& problem, const Tile& tile,
                                    const Part& part) const {
  const Panel keys = keys_.from(part.keys.first - block_.first);
  return {.width = d_key_,
          .queries = queries_ + part.first,
          .query_step = tile.step(),
          .query_count = part.queries,
          .columns = part.columns,
          .keys = keys.data,
          .key_step = keys.step,
          .key_count = part.keys.count(),
          .weights = problem.score.weights};
}

// The scores, but for a query that keeps only its largest scores the others become -inf.
bool AttentionKernel::kept_scores(const HeadProblem& problem, const Tile& tile, const Part& part) {
  if (!scores(problem, tile, part)) {
    return false;
  }
  if (problem.kept.count > 0) {
    const Index query = tile.first + part.first;
    keep_top(panel_numbers(problem, tile, part, scores_), part.keys.first,
             {.count = problem.kept.count,
              .least = problem.kept.least + query,
              .last = problem.kept.last + query});
  }
  return true;
}

void AttentionKernel::select_top(const HeadProblem& problem, const Tile& tile) {
  top_.start(problem.kept.count, tile.queries);
  for_each_block(tile, [&](const KeyRange& block) {
    take_keys(problem, block);
    for_each_part(tile, block, [&](const Part& part) {
      if (scores(problem, tile, part)) {
        top_.add(panel_numbers(problem, tile, part, scores_), part.first, part.keys.first);
      }
    });
  });
  top_.finish(tile.first, problem.kept);
}

// Asks the mask. Returns whether it allows anything.
bool AttentionKernel::mark(const HeadProblem& problem, const Tile& tile, const Part& part) {
  const Index keys = part.keys.count();
  const Index query = problem.query_position + tile.first + part.first;
  for (Index q = 0; q < part.queries; ++q) {
    problem.mask->mark(query + q, problem.key_position + part.keys.first,
                       std::span(allowed_).subspan(static_cast<std::size_t>(q * block_keys),
                                                   static_cast<std::size_t>(keys)),
                       problem.prefix);
  }
  for (Index q = 0; q < part.queries; ++q) {
    const bool* allowed = allowed_.data() + q * block_keys;
    if (std::find(allowed, allowed + keys, true) != allowed + keys) {
      return true;
    }
  }
  return false;
}

void AttentionKernel::apply_mask(const Tile& tile, const Part& part) {
  for (Index q = 0; q < part.queries; ++q) {
    for (Index j = 0; j < part.keys.count(); ++j) {
      if (!allowed_[static_cast<std::size_t>(q * block_keys + j)]) {
        scores_[part.at + j * tile.step() + q] = minus_infinity;
      }
    }
  }
}

PanelNumbers AttentionKernel::panel_numbers(const HeadProblem& problem, const Tile& tile,
                                            const Part& part, Scalar* numbers) const {
  const Index first_query = tile.first + part.first;
  return {
      .numbers = numbers + part.at,
      .step = tile.step(),
      .keys = part.keys.count(),
      .queries = part.queries,
      .columns = part.columns,
      .distance = problem.key_position + part.keys.first - problem.query_position - first_query};
}

void AttentionKernel::add_bias(const HeadProblem& problem, const Tile& tile, const Part& part) {
  const HeadBias& bias = problem.bias;
  const PanelNumbers panel = panel_numbers(problem, tile, part, scores_);
  if (bias.buckets_used()) {
    distances_.take(*bias.buckets, panel);
  }
  if (bias.by_head != nullptr || bias.slope != 0) {
    distances_.add_by_distance(panel, bias.by_head, bias.slope);
  }
  if (bias.by_query != nullptr) {
    const Index query = tile.first + part.first;
    distances_.add_rows(panel, bias.by_query + query * bias.stride, bias.stride);
  }
}

// Sets the scores of keys before and after a query's range to -inf.
void AttentionKernel::apply_ranges(const HeadProblem& problem, const Tile& tile, const Part& part) {
  const Index first_key = problem.key_position + part.keys.first;
  const Index first_query = problem.query_position + tile.first + part.first;
  std::array<Scalar, panel_queries> begins{};
  std::array<Scalar, panel_queries> ends{};
  Index last_begin = 0;
  Index first_end = part.keys.count();
  for (Index q = 0; q < part.queries; ++q) {
    const auto [first, last] = problem.ranges.of(first_query + q);
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
      Scalar* row = scores_ + part.at + j * tile.step() + first;
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
