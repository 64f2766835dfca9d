#include "train/step/exchange.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Consecutive slices of about the same size that cover the whole store. Each ends at the nearest of
// `edges`, ascending indices into the store's memory, or at its size; some may be empty.
std::vector<Slice> cut_into_slices(Index size, std::span<const Index> edges, Index count) {
  std::vector<Slice> slices;
  Index begin = 0;
  for (Index i = 1; i <= count; ++i) {
    const Index wanted = size * i / count;
    const auto next = std::ranges::lower_bound(edges, wanted);
    Index end = next == edges.end() || i == count ? size : *next;
    if (i < count && next != edges.begin() && wanted - *std::prev(next) <= end - wanted) {
      end = *std::prev(next);
    }
    slices.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return slices;
}

constexpr Index chunk_size = 16384;

// The trained parts of the blocks; adjacent parameters of a block form one range.
std::vector<BlockRange> trained_ranges(const ParameterStore& store) {
  std::vector<BlockRange> ranges;
  for (const NamedParameter& parameter : store.parameters()) {
    const Index offset = parameter.offset - store.block_begin(parameter.block);
    if (parameter.frozen) {
      continue;
    }
    const bool joins = !ranges.empty() && ranges.back().block == parameter.block &&
                       ranges.back().offset + ranges.back().count == offset;
    if (joins) {
      ranges.back().count += parameter.shape.size();
    } else {
      ranges.push_back(
          {.block = parameter.block, .offset = offset, .count = parameter.shape.size()});
    }
  }
  return ranges;
}

template <class T>
T first_of(const std::vector<T>& all) {
  const auto found = std::ranges::find_if(all, [](const T& one) { return one != T(); });
  return found == all.end() ? T() : *found;
}

}  // namespace

Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index slices) {
  Chunks chunks;
  std::vector<Index> begins;
  std::vector<Index> edges;
  for (const BlockRange& range : trained_ranges(store)) {
    const ParameterKind kind = store.kind_of(range.block);
    const bool in_matrix = traits_of(options.optimizer).updates_whole(kind);
    for (Index done = 0; done < range.count; done += chunk_size) {
      begins.push_back(store.block_begin(range.block) + range.offset + done);
      if (!in_matrix || chunks.all.empty() || chunks.all.back().range.block != range.block) {
        edges.push_back(begins.back());
      }
      chunks.all.push_back(
          {.range = {.block = range.block,
                     .offset = range.offset + done,
                     .count = std::min(chunk_size, range.count - done)},
           .weight_decay = static_cast<Scalar>(weight_decay_of(options, kind)),
           .in_matrix = in_matrix,
           .rate = static_cast<Scalar>(kind == ParameterKind::gate ? options.gate_rate : 1)});
    }
  }
  chunks.slices = cut_into_slices(store.size(), edges, slices);
  for (const Slice& slice : chunks.slices) {
    chunks.first_of_slice.push_back(std::ranges::lower_bound(begins, slice.begin) - begins.begin());
  }
  chunks.first_of_slice.push_back(std::ssize(chunks.all));
  return chunks;
}

Exchange::Exchange(const ParameterStore& store, const TrainingOptions& options, Ranks& ranks)
    : store_(store), shard_count_(options.shards.value_or(1)), ranks_(ranks), first_numbers_(1, 0) {
  written_ = std::make_unique<bool[]>(static_cast<std::size_t>(shard_count_ * store.blocks()));
  for (Index rank = 0; rank <= ranks.count(); ++rank) {
    first_shards_.push_back(shard_count_ * rank / ranks.count());
  }
  const Chunks chunks = chunks_of(store, options, ranks.count());
  first_chunks_ = chunks.first_of_slice;
  for (const Slice& slice : chunks.slices) {
    first_numbers_.push_back(slice.end);
    std::vector<BlockRange>& ranges = blocks_.emplace_back();
    for (Index block = 0; block < store.blocks(); ++block) {
      const Slice shared = tapehead::slice_of(store, block).overlap(slice);
      if (shared.size() > 0 && !store.frozen(block)) {
        ranges.push_back({.block = block,
                          .offset = shared.begin - store.block_begin(block),
                          .count = shared.size()});
      }
    }
  }
}

void Exchange::share(std::span<std::byte> all, std::span<const Index> firsts, std::size_t bytes) {
  if (ranks_.count() > 1) {
    PoolVector<std::size_t> begins;
    for (const Index first : firsts) {
      begins.push_back(static_cast<std::size_t>(first) * bytes);
    }
    share_parts(ranks_, all, begins);
  }
}

void Exchange::share_shards(std::span<std::byte> all) {
  share(all, first_shards_, all.size() / static_cast<std::size_t>(shard_count_));
}

void Exchange::share_shards(std::span<std::byte> all, std::span<const Index> begins) {
  PoolVector<Index> firsts;
  for (const Index shard : first_shards_) {
    firsts.push_back(begins[static_cast<std::size_t>(shard)]);
  }
  share(all, firsts, 1);
}

void Exchange::share_chunks(std::span<double> of_each) {
  share(std::as_writable_bytes(of_each), first_chunks_, sizeof(double));
}

void Exchange::share_slices(std::span<Scalar> of_store) {
  share(std::as_writable_bytes(of_store), first_numbers_, sizeof(Scalar));
}

std::string Exchange::first_text(std::string_view mine) {
  return first_of(share_texts(ranks_, mine));
}

int Exchange::first_signal(int mine) { return first_of(share_values(ranks_, mine)); }

void Exchange::share_marks(const std::vector<ParameterGradients*>& computed) {
  bool* mark = written_.get() + shards().begin * store_.blocks();
  for (const ParameterGradients* shard : computed) {
    for (Index block = 0; block < store_.blocks(); ++block) {
      *mark++ = shard->written(block);
    }
  }
  const auto marks = static_cast<std::size_t>(shard_count_ * store_.blocks());
  share_shards(std::as_writable_bytes(std::span(written_.get(), marks)));
}

// The gradients that rank `from` has computed for the slice of rank `to`.
std::vector<std::span<Scalar>> Exchange::travelling(Index from, Index to,
                                                    std::span<const ShardGradients> all) const {
  std::vector<std::span<Scalar>> parts;
  for (auto [i, end] = part(first_shards_, from); i < end; ++i) {
    const ShardGradients& shard = all[static_cast<std::size_t>(i)];
    for (const auto& [block, offset, count] : blocks_[static_cast<std::size_t>(to)]) {
      if (written_[static_cast<std::size_t>(i * store_.blocks() + block)]) {
        Tensor memory = shard.memory(block);
        parts.emplace_back(memory.data() + offset - shard.first(block),
                           static_cast<std::size_t>(count));
      }
    }
  }
  return parts;
}

PoolVector<ShardGradients> Exchange::bring(const std::vector<ParameterGradients*>& computed) {
  if (ranks_.count() == 1) {
    return {computed.begin(), computed.end()};
  }
  const auto [begin, end] = shards();
  PoolVector<ShardGradients> all;
  all.reserve(static_cast<std::size_t>(shard_count_));
  for (Index shard = 0; shard < shard_count_; ++shard) {
    if (shard >= begin && shard < end) {
      all.emplace_back(computed[static_cast<std::size_t>(shard - begin)]);
    } else {
      all.emplace_back(store_, slice(), written_.get() + shard * store_.blocks());
    }
  }
  share_marks(computed);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (Index other = 0; other < ranks_.count(); ++other) {
    if (other == ranks_.rank()) {
      continue;
    }
    for (const std::span<Scalar> sent : travelling(ranks_.rank(), other, all)) {
      outgoing.push_back({.to = other, .bytes = std::as_bytes(sent)});
    }
    for (const std::span<Scalar> place : travelling(other, ranks_.rank(), all)) {
      incoming.push_back({.from = other, .bytes = std::as_writable_bytes(place)});
    }
  }
  ranks_.exchange(outgoing, incoming);
  return all;
}

double Exchange::bytes_sent(Index remembered) const {
  const Index others = ranks_.count() - 1;
  Index owned_by_others = 0;
  for (Index rank = 0; rank < ranks_.count(); ++rank) {
    for (const BlockRange& range : blocks_[static_cast<std::size_t>(rank)]) {
      owned_by_others += rank == ranks_.rank() ? 0 : range.count;
    }
  }
  const Index remembered_here = remembered / ranks_.count();
  return static_cast<double>(shards().size() * owned_by_others +
                             others * (slice().size() + remembered_here)) *
         sizeof(Scalar);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
