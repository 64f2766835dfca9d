// The attention kernel for one head of one sequence. Scores are held transposed, keys as rows and
// vectors of queries as columns, so that softmax and its derivative run down the columns without
// sums across a vector. Keys are taken block by block, and softmax is carried on from one to the
// next, so that no array grows with the square of the length (Milakov and Gimelshein 2018; Rabe and
// Staats 2021; Dao et al. 2022).
#pragma once

#include "core/broadcast_product.hpp"
#include "core/ops/attention_dropout.hpp"
#include "core/ops/attention_tile.hpp"
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

// Scratch memory of a fixed size, for all heads of a call.
class AttentionKernel {
 public:
  AttentionKernel(Index d_key, Index d_value, Scalar scale, const Dropout& dropout);

  // out: n rows of d_value, `out_stride` apart; log_sums: n numbers, the log-sum-exp of each row's
  // scores (-inf: no keys).
  void forward(const HeadProblem& problem, Scalar* out, Index out_stride, Scalar* log_sums);

  // Adds to dkey and dvalue (m rows) and to dquery (n rows); each null where not needed.
  struct Targets {
    Scalar* dquery;
    Index dquery_stride;
    Scalar* dkey;
    Index dkey_stride;
    Scalar* dvalue;
    Index dvalue_stride;
  };
  void backward(const HeadProblem& problem, const HeadRows& output, const HeadRows& doutput,
                const Scalar* log_sums, const Targets& targets);

  // weights: (n, m)
  void weights(const HeadProblem& problem, const Scalar* log_sums, Scalar* weights);

 private:
  // What a panel of queries has to do with a block of keys: the keys among them that it may attend
  // to, and its first column and row in the block's arrays.
  struct Part {
    Index panel;
    KeyRange keys;
    Index at;  // of the first key's and first query's number
  };
  template <class Visitor>
  void for_each_part(const Tile& tile, const KeyRange& block, const Visitor& visit) const;

  void pack_queries(const HeadProblem& problem, const Tile& tile);
  void take_keys(const HeadProblem& problem, const KeyRange& block);
  void product(Index rows, Index depth, Index width, Broadcast a, Panel b, Scalar* to, Index stride,
               bool accumulate);
  void scores(const HeadProblem& problem, const Tile& tile, const Part& part);
  void apply_pattern(const HeadProblem& problem, const Tile& tile, const Part& part);
  void softmax(const Tile& tile, const Part& part);
  void draw_dropout(const HeadProblem& problem, const Tile& tile, const Part& part);
  void drop(const Tile& tile, const Part& part, Scalar* numbers);
  void add_values(const Tile& tile, const Part& part, Scalar* rows, Index stride);
  void finish_rows(const Tile& tile, Scalar* rows, Index stride, Scalar* log_sums);
  void rebuild_weights(const Tile& tile, const Part& part, const Scalar* log_sums);
  void score_gradients(const HeadProblem& problem, const Tile& tile, const Part& part);
  void key_gradients(const HeadProblem& problem, const Tile& tile, const KeyRange& block,
                     const HeadRows& doutput, const Targets& targets);

  Index d_key_;
  Index d_value_;
  Scalar scale_;  // of the scores
  AttentionDropout dropout_;
  KeyRange block_{};
  Panel keys_{};  // of the block
  Panel values_{};
  Tensor memory_;
  Scalar* key_room_;     // (block, d_key): keys that are not whole vectors
  Scalar* value_room_;   // (block, d_value)
  Scalar* scores_;       // (block, tile): scores, then weights
  Scalar* gradients_;    // (block, tile): dL/dweights, then dL/dscores
  Scalar* factors_;      // (block, panel): dropout
  Scalar* queries_;      // (d_key, tile): the scaled queries, transposed
  Scalar* doutputs_;     // (d_value, tile): the output's gradients, transposed
  Scalar* row_room_;     // (tile, width): queries or output gradients that are not whole vectors
  Scalar* product_;      // (block or tile, width)
  Scalar* largest_;      // (tile): the largest score so far
  Scalar* sums_;         // (tile): Σ exp(score - largest) so far
  Scalar* corrections_;  // (tile): exp(largest before - largest now)
  Scalar* along_;        // (tile): y · dL/dy
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
