// The attention kernel for one head of one sequence. Scores are held transposed, keys as rows and
// up to two vectors of queries as columns, so that softmax and its derivative run down the columns
// without sums across a vector.
#pragma once

#include "core/broadcast_product.hpp"
#include "core/dropout_mask.hpp"
#include "core/pattern.hpp"
#include "core/rows.hpp"
#include "core/segments.hpp"
#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Rows of one head's vectors inside a wider matrix.
struct HeadRows {
  const Scalar* data;
  Index stride;
  Index rows;
  Index width;

  const Scalar* row(Index i) const { return data + i * stride; }
};

// Rows of whole vectors.
struct Panel {
  const Scalar* data;
  Index step;

  const Scalar* row(Index i) const { return data + i * step; }
  Panel from(Index first) const { return {row(first), step}; }
};

// One head's share of a sequence pair.
struct HeadProblem {
  HeadRows query;
  HeadRows key;
  HeadRows value;
  Index query_position;  // of query row 0
  Index key_position;    // of key row 0
  Pattern pattern;
  Index query_row;  // in the whole step: where the dropout's draws are addressed
  Index head;
};

// Scratch memory for problems up to a size; made once per op call.
class AttentionKernel {
 public:
  AttentionKernel(Index most_keys, Index d_key, Index d_value, const Dropout& dropout);

  // out: n rows of d_value, `out_stride` apart; log_sums: n numbers, the log-sum-exp of each row's
  // scores (-inf: no keys).
  void forward(const HeadProblem& problem, Scalar* out, Index out_stride, Scalar* log_sums);

  // Adds to dkey and dvalue (m rows), writes or adds to dquery (n rows); each null where not
  // needed.
  struct Targets {
    Scalar* dquery;
    Index dquery_stride;
    bool accumulate_query;
    Scalar* dkey;
    Index dkey_stride;
    Scalar* dvalue;
    Index dvalue_stride;
  };
  void backward(const HeadProblem& problem, const HeadRows& doutput, const Scalar* log_sums,
                const Targets& targets);

  // weights: (n, m)
  void weights(const HeadProblem& problem, const Scalar* log_sums, Scalar* weights);

 private:
  static constexpr Index tile_queries = 2 * lane_count;

  // Up to two vectors of queries and the keys that they may attend to.
  struct Tile {
    Index first_query;
    Index queries;  // real ones; the rest of `columns` is filled with zeros
    Index columns;  // one or two vectors
    Index first_key;
    Index keys;
  };
  Tile tile_at(const HeadProblem& problem, Index first_query) const;
  void take_keys(const HeadProblem& problem);
  void product(Index rows, Index depth, Index width, Broadcast a, Panel b, Scalar* to, Index stride,
               bool accumulate);
  void scores(const HeadProblem& problem, const Tile& tile);
  void apply_pattern(const HeadProblem& problem, const Tile& tile);
  void softmax(const Tile& tile, Scalar* log_sums);
  void rebuild_weights(const Tile& tile, const Scalar* log_sums);
  void draw_dropout(const HeadProblem& problem, const Tile& tile);
  void score_gradients(const HeadProblem& problem, const Tile& tile, const HeadRows& doutput);

  Index d_key_;
  Index d_value_;
  Dropout dropout_;
  KeepFactors factors_of_bits_;
  Panel keys_{};
  Panel values_{};
  Tensor memory_;
  Scalar* key_room_;    // (m, d_key): keys that are not whole vectors
  Scalar* value_room_;  // (m, d_value)
  Scalar* scores_;      // (m, tile): scores, then weights
  Scalar* gradients_;   // (m, tile): dL/dweights, then dL/dscores
  Scalar* factors_;     // (m, tile): dropout
  Scalar* columns_;     // (width, tile): queries or output gradients, transposed
  Scalar* row_room_;    // (tile, width): queries or output gradients that are not whole vectors
  Scalar* product_;     // (m or tile, width)
  Scalar* inverse_;     // (tile): 1 / Σ exp
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
