// The arithmetic of a training step that counts: additions and multiplications in matrix products.
#pragma once

#include "datasets/batch.hpp"
#include "nn/model_options.hpp"

namespace tapehead {

// Σ over the sequences of the query rows times the key rows: all pairs, whatever the pattern.
inline double attention_pairs(const Segments& queries, const Segments& keys) {
  double pairs = 0;
  for (Index i = 0; i < queries.count(); ++i) {
    pairs += static_cast<double>(queries[i].rows) * static_cast<double>(keys[i].rows);
  }
  return pairs;
}

// 6 for each use of a weight by a row: 2 forward, and twice that backward. For each pair of a query
// and a key 12 for each column of the heads: 2 in the scores and 2 in the sums forward, and twice
// that backward. Nothing elementwise counts, nor does what a kernel computes again. The model must
// be resolved.
inline double step_flops(const ModelOptions& model, Index target_vocabulary, const Batch& batch) {
  const auto D = static_cast<double>(model.d_model);
  const double width = static_cast<double>(model.heads * model.d_head.value());
  const double feed_forward = 2 * D * static_cast<double>(model.d_ff.value());
  const double projection = D * width;  // of queries, keys or values, or back from the heads
  const auto S = static_cast<double>(batch.source.size());
  const auto T = static_cast<double>(batch.tokens());
  const auto encoder_layers = static_cast<double>(model.encoder_layers.value());
  const auto decoder_layers = static_cast<double>(model.decoder_layers.value());
  const double uses = encoder_layers * S * (4 * projection + feed_forward) +
                      decoder_layers * (T * (6 * projection + feed_forward) + S * 2 * projection) +
                      T * D * static_cast<double>(target_vocabulary);
  const double pairs =
      encoder_layers * attention_pairs(batch.source_segments, batch.source_segments) +
      decoder_layers * (attention_pairs(batch.target_segments, batch.target_segments) +
                        attention_pairs(batch.target_segments, batch.source_segments));
  return 6 * uses + 12 * pairs * width;
}

}  // namespace tapehead
