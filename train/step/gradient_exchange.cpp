#include "train/step/gradient_exchange.hpp"

#include <utility>

#include "core/ranks/sharing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::span<Scalar> numbers(const ShardGradients& shard, const BlockRange& range) {
  Tensor memory = shard.memory(range.block);
  return {memory.data() + range.offset - shard.first(range.block),
          static_cast<std::size_t>(range.count)};
}

}  // namespace

ShardRange shards_of_rank(Index shards, Index rank, Index ranks) {
  return {.begin = shards * rank / ranks, .end = shards * (rank + 1) / ranks};
}

GradientExchange::GradientExchange(const ParameterStore& store, std::vector<Slice> slices,
                                   Index shards, Ranks& ranks)
    : store_(store),
      slices_(std::move(slices)),
      shards_(shards),
      ranks_(ranks),
      written_(std::make_unique<bool[]>(static_cast<std::size_t>(shards * store.blocks()))) {
  for (const Slice& slice : slices_) {
    blocks_.push_back(blocks_in(store, slice));
  }
}

void GradientExchange::share_marks(const std::vector<ParameterGradients*>& computed) {
  bool* mark = written_.get() +
               shards_of_rank(shards_, ranks_.rank(), ranks_.count()).begin * store_.blocks();
  for (const ParameterGradients* shard : computed) {
    for (Index block = 0; block < store_.blocks(); ++block) {
      *mark++ = shard->written(block);
    }
  }
  std::vector<Index> begins;
  for (Index rank = 0; rank <= ranks_.count(); ++rank) {
    begins.push_back(shards_of_rank(shards_, rank, ranks_.count()).begin * store_.blocks());
  }
  const auto marks = static_cast<std::size_t>(shards_ * store_.blocks());
  share_parts(ranks_, std::as_writable_bytes(std::span(written_.get(), marks)), begins);
}

void GradientExchange::add_outgoing(Index to, std::span<const ShardGradients> all) {
  const ShardRange mine = shards_of_rank(shards_, ranks_.rank(), ranks_.count());
  for (Index shard = mine.begin; shard < mine.end; ++shard) {
    for (const BlockRange& range : blocks_[static_cast<std::size_t>(to)]) {
      if (written(shard)[range.block]) {
        const std::span<Scalar> sent = numbers(all[static_cast<std::size_t>(shard)], range);
        outgoing_.push_back({.to = to, .bytes = std::as_bytes(sent)});
      }
    }
  }
}

void GradientExchange::add_incoming(Index from, std::span<const ShardGradients> all) {
  const ShardRange theirs = shards_of_rank(shards_, from, ranks_.count());
  for (Index shard = theirs.begin; shard < theirs.end; ++shard) {
    for (const BlockRange& range : blocks_[static_cast<std::size_t>(ranks_.rank())]) {
      if (written(shard)[range.block]) {
        const std::span<Scalar> place = numbers(all[static_cast<std::size_t>(shard)], range);
        incoming_.push_back({.from = from, .bytes = std::as_writable_bytes(place)});
      }
    }
  }
}

PoolVector<ShardGradients> GradientExchange::bring(
    const std::vector<ParameterGradients*>& computed) {
  const ShardRange mine = shards_of_rank(shards_, ranks_.rank(), ranks_.count());
  const Slice& slice = slices_[static_cast<std::size_t>(ranks_.rank())];
  PoolVector<ShardGradients> all;
  all.reserve(static_cast<std::size_t>(shards_));
  for (Index shard = 0; shard < shards_; ++shard) {
    if (shard >= mine.begin && shard < mine.end) {
      all.emplace_back(*computed[static_cast<std::size_t>(shard - mine.begin)]);
    } else {
      all.emplace_back(store_, slice, written(shard));
    }
  }
  if (ranks_.count() > 1) {
    share_marks(computed);
    outgoing_.clear();
    incoming_.clear();
    for (Index other = 0; other < ranks_.count(); ++other) {
      if (other != ranks_.rank()) {
        add_outgoing(other, all);
        add_incoming(other, all);
      }
    }
    ranks_.exchange(outgoing_, incoming_);
  }
  return all;
}

double GradientExchange::bytes_sent() const {
  const ShardRange mine = shards_of_rank(shards_, ranks_.rank(), ranks_.count());
  Index others = 0;
  for (Index rank = 0; rank < ranks_.count(); ++rank) {
    for (const BlockRange& range : blocks_[static_cast<std::size_t>(rank)]) {
      others += rank == ranks_.rank() ? 0 : range.count;
    }
  }
  return static_cast<double>((mine.end - mine.begin) * others) * sizeof(Scalar);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
