#include "core/ops/attention/pair_score.hpp"

#include <algorithm>

#include "core/memory/pool_vector.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Copies the numbers of one query from their column.
void take_query(const PairPanel& pairs, Index q, std::span<Scalar> query) {
  for (Scalar& number : query) {
    number = pairs.queries[q];
    q += pairs.query_step;
  }
}

std::span<const Scalar> key_of(const PairPanel& pairs, Index j) {
  return {pairs.keys + j * pairs.key_step, static_cast<std::size_t>(pairs.width)};
}

// The row of a gradient, or scratch memory if it is not needed.
std::span<Scalar> row_of(Scalar* rows, Index row, Index stride, std::span<Scalar> room) {
  return {rows == nullptr ? room.data() : rows + row * stride, room.size()};
}

}  // namespace

void SinglePairScore::scores(const PairPanel& pairs, Scalar* to, Index step) const {
  PoolVector<Scalar> query(static_cast<std::size_t>(pairs.width));
  for (Index q = 0; q < pairs.query_count; ++q) {
    take_query(pairs, q, query);
    for (Index j = 0; j < pairs.key_count; ++j) {
      to[j * step + q] = score(query, key_of(pairs, j));
    }
  }
  for (Index j = 0; j < pairs.key_count; ++j) {
    std::fill(to + j * step + pairs.query_count, to + j * step + pairs.columns, Scalar{0});
  }
}

void SinglePairScore::gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                                const PairGradients& to) const {
  PoolVector<Scalar> query(static_cast<std::size_t>(pairs.width));
  PoolVector<Scalar> room(query.size());
  for (Index q = 0; q < pairs.query_count; ++q) {
    take_query(pairs, q, query);
    for (Index j = 0; j < pairs.key_count; ++j) {
      backward(dscores[j * step + q], query, key_of(pairs, j),
               row_of(to.queries, q, to.query_stride, room),
               row_of(to.keys, j, to.key_stride, room));
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
