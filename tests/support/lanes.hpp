// A small language model, and token streams that it reads window by window.
#pragma once

#include "nn/attention/caches.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/stack_batches.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A two-layer decoder that uses only distances between positions.
struct LaneModel {
  explicit LaneModel(const ModelOptions& options)
      : transformer(store.root(), options, {.input = tiny_vocabulary, .labels = tiny_vocabulary}) {
    store.initialize(1);
    shake_parameters(store, 0.2);
  }

  LaneMemory memory(Index lanes, Index rows) const {
    return LaneMemory({.lanes = lanes,
                       .layers = std::ssize(transformer.main().layers),
                       .rows = rows,
                       .d_model = transformer.options().d_model});
  }

  ParameterStore store;
  Transformer transformer;
};

inline ModelOptions lane_options(AttentionPositions positions = AttentionPositions::alibi) {
  ModelOptions options = of_family(tiny_options(), Family::decoder);
  options.layers = 2;
  options.d_head = 4;
  options.dropout = 0;
  options.max_positions = 64;
  options.positions = PositionKind::none;
  options.attention.positions.values = {positions};
  return options;
}

// One window per stream, from row `first` on. Row i reads token i - 1 and predicts token i.
inline Batch window_batch(const std::vector<Sentence>& streams, Index first, Index rows) {
  Batch batch;
  for (std::size_t lane = 0; lane < streams.size(); ++lane) {
    const Sentence& stream = streams[lane];
    const Index end = std::min(first + rows, std::ssize(stream));
    if (first >= end) {
      continue;
    }
    batch.input.segments.list.push_back(
        {.row = batch.input.rows(), .rows = end - first, .position = first});
    batch.input.lanes.push_back(static_cast<Index>(lane));
    batch.context.segments.list.push_back({});
    batch.examples.push_back(static_cast<Index>(lane));
    for (Index i = first; i < end; ++i) {
      batch.input.ids.push_back(i == 0 ? begin_mark : stream[static_cast<std::size_t>(i - 1)]);
      batch.labels.ids.push_back(stream[static_cast<std::size_t>(i)]);
    }
  }
  return batch;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
