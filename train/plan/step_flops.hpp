// Counts the arithmetic of a training step: additions and multiplications in matrix products.
#pragma once

#include "core/sequence/batch.hpp"
#include "nn/attention/work.hpp"

namespace tapehead {

// Σ over the sequences of the query rows times the key rows: all pairs, whatever the pattern.
inline double attention_pairs(const Segments& queries, const Segments& keys) {
  double pairs = 0;
  for (Index i = 0; i < queries.count(); ++i) {
    pairs += static_cast<double>(queries[i].rows) * static_cast<double>(keys[i].rows);
  }
  return pairs;
}

// Multiply-adds of all attentions of a kind over the rows of these sequences. Before the keys are
// so many rows of each sequence that a memory has.
inline double attention_multiply_adds(const ModelOptions& model, AttentionKind kind,
                                      const Segments& queries, const Segments& keys,
                                      Index memory = 0) {
  const Segments past = rows_before(keys, memory);
  const double pairs = attention_pairs(queries, keys) + attention_pairs(queries, past);
  double total = 0;
  for (Index layer = 0; layer < attention_layers(model, kind); ++layer) {
    const AttentionWork work = attention_work(attention_spec(model, kind, layer));
    total += (work.query_row + work.output_row) * static_cast<double>(row_count(queries)) +
             work.key_row * static_cast<double>(row_count(keys)) +
             work.past_row * static_cast<double>(row_count(past)) + work.pair * pairs;
  }
  return total;
}

// Multiply-adds of each row of an embedding: those of its map, if it is factored.
inline double embedding_multiply_adds(const ModelOptions& model) {
  return model.factored_embedding()
             ? static_cast<double>(model.embedding_width()) * static_cast<double>(model.d_model)
             : 0;
}

// Multiply-adds of each row with a label in the output head.
inline double output_multiply_adds(const ModelOptions& model, Index target_vocabulary) {
  const auto D = static_cast<double>(model.d_model);
  const double transform = model.head_transform == HeadTransform::none ? 0 : D;
  return (transform + static_cast<double>(target_vocabulary)) *
         static_cast<double>(model.output_width());
}

// Each use of a weight by a row counts 6: 2 forward, and twice that backward. Each pair of a query
// and a key counts 12 for each column of the heads: 2 in the scores and 2 in the sums forward, and
// twice that backward. Elementwise work does not count, nor does work that a kernel repeats.
// `memory`: rows that the model remembers of each lane.
inline double step_flops(const ModelOptions& model, Index target_vocabulary, const Batch& batch,
                         Index memory = 0) {
  const auto D = static_cast<double>(model.d_model);
  const double matrices = model.feed_forward == FeedForwardKind::gated ? 3 : 2;
  const double feed_forward = matrices * D * static_cast<double>(model.feed_forward_width());
  const Tokens& encoded = model.family == Family::encoder ? batch.input : batch.context;
  const auto S = static_cast<double>(encoded.rows());
  const auto T = static_cast<double>(batch.input.rows());
  const auto labels = static_cast<double>(batch.labels.count());
  const Segments& source = encoded.segments;
  const Segments& target = batch.input.segments;
  const auto encoder = static_cast<double>(attention_layers(model, AttentionKind::encoder_self));
  const auto decoder = static_cast<double>(attention_layers(model, AttentionKind::decoder_self));
  const auto embedded = static_cast<double>(batch.context.rows() + batch.input.rows());
  return 6 * (attention_multiply_adds(model, AttentionKind::encoder_self, source, source) +
              attention_multiply_adds(model, AttentionKind::decoder_self, target, target, memory) +
              attention_multiply_adds(model, AttentionKind::cross, target, source) +
              encoder * S * feed_forward + decoder * T * feed_forward +
              embedded * embedding_multiply_adds(model) +
              labels * output_multiply_adds(model, target_vocabulary));
}

}  // namespace tapehead
