// The attention kernel for one head of one sequence. Scores are stored transposed: keys are rows,
// and vectors of queries are columns. So softmax and its derivative run down the columns, without
// sums across a vector. Softmax continues from one block of keys to the next, so no array grows
// with the square of the length (Milakov and Gimelshein 2018; Rabe and Staats 2021; Dao et al.
// 2022).
#pragma once

#include "core/ops/attention/attention_options.hpp"
#include "core/ops/attention/bias.hpp"
#include "core/ops/attention/tile.hpp"
#include "core/ops/attention/tile_weights.hpp"
#include "core/ops/heads/head_columns.hpp"
#include "core/product/broadcast_product.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The score of a head; a null function means the dot product.
struct HeadScore {
  const PairScore* function = nullptr;
  std::span<const Scalar> weights{};
};

// The input of one call of the kernel: one head, one query segment and its key segment.
struct HeadProblem {
  HeadRows query;
  HeadRows key;
  HeadRows value;
  Index query_position;  // of query row 0
  Index key_position;    // of key row 0
  KeyRanges ranges;      // positions, as above
  const Pattern* mask;   // the part of the pattern that `ranges` cannot express, or null
  Index prefix;          // all queries see the keys at positions below it
  DropoutAddress draws;  // of query row 0 and key row 0
  KeptScores kept;
  HeadBias bias;
  HeadScore score;
};

// Where the results go: for each query, a row and a log-sum-exp.
struct HeadOutput {
  Scalar* rows;
  Index stride;
  Scalar* log_sums;
  Index log_sums_stride;
};

// The kernel and its scratch memory, for all heads of a call: one tile and one block.
class AttentionKernel {
 public:
  // most_queries: of the longest sequence; value_bias: (B, d_value), or a tensor without memory.
  AttentionKernel(const AttentionOptions& options, Index most_queries, const Tensor& value_bias);

  // out: n rows of d_value and the log-sum-exp of each row's scores (-inf: no keys). With `more`,
  // `out` holds the result for other keys, and the problem's keys are added to it.
  void forward(const HeadProblem& problem, const HeadOutput& out, bool more);

  // Where gradients are added: dkey and dvalue (m rows), dquery (n rows), the bias and the score's
  // learned numbers. A pointer is null if its gradient is not needed.
  struct Targets {
    GradientRows dquery;
    GradientRows dkey;
    GradientRows dvalue;
    HeadBiasTargets dbias;
    Scalar* dscore_weights;
  };
  void backward(const HeadProblem& problem, const StoredRows& output, HeadRows doutput,
                const Scalar* log_sums, Index log_sums_stride, const Targets& targets);

  // For each query i and each key j that i may attend to: adds the weight to weights[i stride + j
  // step] and sets scores[i stride + j step] to the score.
  void weights_and_scores(const HeadProblem& problem, const Scalar* log_sums, Index log_sums_stride,
                          Scalar* weights, Scalar* scores, Index stride, Index step);

 private:
  // One panel of the tile's queries, and the keys of the block that it may attend to.
  struct Part {
    Index first;    // the first query, counted in the tile
    Index query;    // its row
    Index queries;  // at most panel_queries
    Index columns;  // `queries`, rounded up to whole vectors
    KeyRange keys;
    Index at;  // index of the number of the first query and first key
  };
  // Calls visit() for each block of keys that the tile's queries may attend to, once it is taken.
  template <class Visitor>
  void for_each_block(const Visitor& visit);
  template <class Visitor>
  void for_each_part(const Visitor& visit) const;

  // The rows of a head outside the scratch memory, by query and by key.
  struct Rows {
    Prefetcher::Matrices of_queries{};
    Prefetcher::Matrices of_keys{};
  };

  void take_queries(Index first);
  void fetch_ahead(const Rows& rows);
  void product(Index rows, Index depth, Index width, Broadcast a, Panel b, Scalar* to, Index stride,
               bool accumulate);
  void begin_rows(const HeadOutput& out, bool more);
  void take_log_sums(const Scalar* log_sums, Index stride);
  void select_top();
  bool scores(const Part& part);
  PairPanel pairs_of(const Part& part) const;
  bool kept_scores(const Part& part);
  bool mark(const Part& part);
  void apply_mask(const Part& part);
  void clear(const Part& part);
  PanelNumbers panel_numbers(const Part& part, Scalar* numbers) const;
  void add_bias(const Part& part);
  void bias_gradients(const Part& part, const HeadBiasTargets& targets);
  void add_mass(const Part& part);
  void value_bias_gradients(Scalar* dvalues);
  void apply_ranges(const Part& part);
  void softmax(const Part& part);
  void add_values(const Part& part, Scalar* rows, Index stride);
  void finish_rows(const HeadOutput& out);
  void rebuild_weights(const Part& part);
  void score_gradients(const Part& part);
  void pair_gradients(const Part& part, const Targets& targets);
  void key_gradients(const Targets& targets);

  Index d_key_;
  Index d_value_;
  Scalar scale_;  // of the scores
  AttentionDropout dropout_;
  PanelDistances distances_;
  ValueBias value_bias_;
  TopScores top_;
  std::array<bool, panel_queries * block_keys> allowed_;  // of a part's queries and a block's keys
  std::array<bool, tile_panels> begun_;  // whether a panel's rows already hold a result
  HeadProblem problem_{};
  Tile tile_{};
  KeyRange block_{};
  Panel keys_{};  // of the block
  Panel values_{};
  Panel query_rows_{};               // of the tile, in the backward pass
  Panel doutput_rows_{};             // of the tile, in the backward pass
  std::optional<Prefetcher> ahead_;  // active during the products that make scores
  Tensor memory_;
  Scalar* key_room_;      // (block, d_key): the block's keys, if they are copied
  Scalar* value_room_;    // (block, d_value): the block's values, if they are copied
  Scalar* scores_;        // (block, tile): scores, then weights
  Scalar* gradients_;     // (block, tile): dL/dweights, then dL/dscores
  Scalar* queries_;       // (d_key, tile): the queries, transposed; scaled for dot products
  Scalar* doutputs_;      // (d_value, tile): the output's gradients, transposed
  Scalar* query_room_;    // (tile, d_key): the tile's queries, if they are copied
  Scalar* doutput_room_;  // (tile, d_value): the output's gradients, if they are copied
  Scalar* product_;       // (block or tile, width)
  Scalar* largest_;       // (tile): the largest score so far
  Scalar* sums_;          // (tile): Σ exp(score - largest) so far
  Scalar* corrections_;   // (tile): exp(largest before - largest now)
  Scalar* log_sums_;      // (tile)
  Scalar* along_;         // (tile): y · dL/dy
};

template <class Visitor>
void AttentionKernel::for_each_block(const Visitor& visit) {
  const KeyRange all = tile_.all_keys();
  for (Index first = all.first - all.first % block_keys; first < all.end; first += block_keys) {
    ahead_.reset();
    block_ = KeyRange{first, first + block_keys}.within(all);
    keys_ = panel_of(problem_.key, block_.first, block_.count(), key_room_);
    values_ = panel_of(problem_.value, block_.first, block_.count(), value_room_);
    visit();
  }
}

template <class Visitor>
void AttentionKernel::for_each_part(const Visitor& visit) const {
  for (Index panel = 0; panel < tile_.panels(); ++panel) {
    const Index first = panel * panel_queries;
    const KeyRange keys = tile_.keys_of(panel).within(block_);
    if (keys.count() > 0) {
      visit(Part{.first = first,
                 .query = tile_.first + first,
                 .queries = tile_.queries_in(panel),
                 .columns = tile_.panel_columns(panel),
                 .keys = keys,
                 .at = (keys.first - block_.first) * tile_.step() + first});
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
