// Batches for one-stack models: token sequences with labels on some rows.
#pragma once

#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline ModelOptions of_family(ModelOptions options, Family family) {
  options.family = family;
  return options;
}

// A batch without labels and with an empty context.
inline Batch sequences_of(const std::vector<Sentence>& sequences) {
  Batch batch;
  batch.labels.every_row = false;
  std::vector<Index> lengths;
  for (const Sentence& sequence : sequences) {
    batch.input.ids.insert(batch.input.ids.end(), sequence.begin(), sequence.end());
    lengths.push_back(static_cast<Index>(sequence.size()));
    batch.examples.push_back(static_cast<Index>(batch.examples.size()));
  }
  batch.input.segments = segments_of(lengths);
  batch.context.segments = segments_of(std::vector<Index>(sequences.size(), 0));
  return batch;
}

// Each row predicts the next token; the first and last rows of a sequence have no label.
inline Batch next_token_batch(const std::vector<Sentence>& sequences) {
  Batch batch = sequences_of(sequences);
  for (const Segment& segment : batch.input.segments.list) {
    for (Index row = segment.row + 1; row + 1 < segment.row + segment.rows; ++row) {
      batch.labels.rows.push_back(row);
      batch.labels.ids.push_back(batch.input.ids[static_cast<std::size_t>(row + 1)]);
    }
  }
  return batch;
}

// The first row of each sequence is labelled with the sequence's length modulo `classes`.
inline Batch first_row_batch(const std::vector<Sentence>& sequences, Index classes) {
  Batch batch = sequences_of(sequences);
  for (const Segment& segment : batch.input.segments.list) {
    batch.labels.rows.push_back(segment.row);
    batch.labels.ids.push_back(static_cast<TokenId>(segment.rows % classes));
  }
  return batch;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
