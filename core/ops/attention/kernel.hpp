// The attention kernel for one head of one sequence. Scores are stored transposed, with keys as
// rows and vectors of queries as columns. So softmax and its derivative run down the columns,
// without sums across a vector. Keys are processed block by block, and softmax continues from one
// block to the next, so no array grows with the square of the length (Milakov and Gimelshein 2018;
// Rabe and Staats 2021; Dao et al. 2022).
#pragma once

#include "core/ops/attention/attention_options.hpp"
#include "core/ops/attention/bias.hpp"
#include "core/ops/attention/tile.hpp"
#include "core/ops/attention/tile_weights.hpp"
#include "core/product/broadcast_product.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The score of a head; without a function, the dot product.
struct HeadScore {
  const PairScore* function = nullptr;
  std::span<const Scalar> weights{};
};

// What the kernel computes in one call: one head for one pair of a query and a key segment.
struct HeadProblem {
  HeadRows query;
  HeadRows key;
  HeadRows value;
  Index query_position;  // of query row 0
  Index key_position;    // of key row 0
  KeyRanges ranges;      // in the positions above
  const Pattern* mask;   // what `ranges` cannot express; null: nothing
  Index prefix;          // the keys at positions below it are visible to all queries
  DropoutAddress draws;  // of query row 0 and key row 0
  KeptScores kept;
  HeadBias bias;
  HeadScore score;
};

// Where results go: a row and its log-sum-exp for each query.
struct HeadOutput {
  Scalar* rows;
  Index stride;
  Scalar* log_sums;
  Index log_sums_stride;
};

// The kernel and its scratch memory, for all heads of a call. The memory holds a tile and a block,
// however long the sequences are.
class AttentionKernel {
 public:
  // most_queries: of a sequence; value_bias: (B, d_value), or without memory.
  AttentionKernel(const AttentionOptions& options, Index most_queries, const Tensor& value_bias);

  // out: n rows of d_value and the log-sum-exp of each row's scores (-inf: no keys). With `more`,
  // `out` holds the result for other keys, and these keys are added to it.
  void forward(HeadProblem problem, const HeadOutput& out, bool more);

  // Adds to dkey and dvalue (m rows), to dquery (n rows), and to the gradients of the bias and of
  // the score's learned numbers. Each may be null if it is not needed.
  struct Targets {
    Scalar* dquery;
    Index dquery_stride;
    Scalar* dkey;
    Index dkey_stride;
    Scalar* dvalue;
    Index dvalue_stride;
    HeadBiasTargets dbias;
    Scalar* dscore_weights;
  };
  void backward(HeadProblem problem, const HeadRows& output, HeadRows doutput,
                const Scalar* log_sums, Index log_sums_stride, const Targets& targets);

  // Adds the weight of query i for key j to weights[i stride + j step], and sets the same element
  // of `scores` to their score, where i attends to j.
  void weights_and_scores(const HeadProblem& problem, const Scalar* log_sums, Index log_sums_stride,
                          Scalar* weights, Scalar* scores, Index stride, Index step);

 private:
  // What one panel of queries computes with a block of keys: the keys of the block to which the
  // panel may attend, and where their numbers begin in the block's arrays.
  struct Part {
    Index first;    // the first query, counted in the tile
    Index queries;  // real ones; up to panel_queries
    Index columns;  // whole vectors
    KeyRange keys;
    Index at;  // index of the number of the first key and query
  };
  template <class Visitor>
  void for_each_part(const Tile& tile, const KeyRange& block, const Visitor& visit) const;

  // The rows of a head outside the scratch memory that are read or written: one for each query, and
  // one for each key.
  struct Rows {
    Prefetcher::Matrices of_queries{};
    Prefetcher::Matrices of_keys{};
  };

  void pack_queries(const HeadProblem& problem, const Tile& tile);
  void take_keys(const HeadProblem& problem, const KeyRange& block);
  void fetch_ahead(const Rows& rows, const Tile& tile, const KeyRange& block);
  void product(Index rows, Index depth, Index width, Broadcast a, Panel b, Scalar* to, Index stride,
               bool accumulate);
  void begin_rows(const Tile& tile, const HeadOutput& out, bool more);
  void take_log_sums(const Tile& tile, const Scalar* log_sums, Index stride);
  void select_top(const HeadProblem& problem, const Tile& tile);
  bool scores(const HeadProblem& problem, const Tile& tile, const Part& part);
  PairPanel pairs_of(const HeadProblem& problem, const Tile& tile, const Part& part) const;
  bool kept_scores(const HeadProblem& problem, const Tile& tile, const Part& part);
  bool mark(const HeadProblem& problem, const Tile& tile, const Part& part);
  void apply_mask(const Tile& tile, const Part& part);
  void clear(const Tile& tile, const Part& part);
  PanelNumbers panel_numbers(const HeadProblem& problem, const Tile& tile, const Part& part,
                             Scalar* numbers) const;
  void add_bias(const HeadProblem& problem, const Tile& tile, const Part& part);
  void bias_gradients(const HeadProblem& problem, const Tile& tile, const Part& part,
                      const HeadBiasTargets& targets);
  void add_mass(const HeadProblem& problem, const Tile& tile, const Part& part);
  void value_bias_gradients(const Tile& tile, Scalar* dvalues);
  void apply_ranges(const HeadProblem& problem, const Tile& tile, const Part& part);
  void softmax(const Tile& tile, const Part& part);
  void draw_dropout(const HeadProblem& problem, const Tile& tile, const Part& part);
  void add_values(const Tile& tile, const Part& part, Scalar* rows, Index stride);
  void finish_rows(const Tile& tile, const HeadOutput& out);
  void rebuild_weights(const Tile& tile, const Part& part);
  void score_gradients(const HeadProblem& problem, const Tile& tile, const Part& part);
  void pair_gradients(const HeadProblem& problem, const Tile& tile, const Part& part,
                      const Targets& targets);
  void key_gradients(const HeadProblem& problem, const Tile& tile, const KeyRange& block,
                     const Targets& targets);

  Index d_key_;
  Index d_value_;
  Scalar scale_;  // of the scores
  AttentionDropout dropout_;
  PanelDistances distances_;
  ValueBias value_bias_;
  TopScores top_;
  std::array<bool, panel_queries * block_keys> allowed_;  // of a part's queries and a block's keys
  std::array<bool, tile_panels> begun_;                   // panels whose rows hold a result already
  KeyRange block_{};
  Panel keys_{};  // of the block
  Panel values_{};
  Panel query_rows_{};               // of the tile, in the backward pass
  Panel doutput_rows_{};             // the same
  std::optional<Prefetcher> ahead_;  // runs during the products that make scores
  Tensor memory_;
  Scalar* key_room_;      // (block, d_key): copies of the keys, if they are copied
  Scalar* value_room_;    // (block, d_value): the same for values
  Scalar* scores_;        // (block, tile): scores, then weights
  Scalar* gradients_;     // (block, tile): dL/dweights, then dL/dscores
  Scalar* queries_;       // (d_key, tile): the queries, transposed; for dot products scaled
  Scalar* doutputs_;      // (d_value, tile): the output's gradients, transposed
  Scalar* query_room_;    // (tile, d_key): the same for queries
  Scalar* doutput_room_;  // (tile, d_value): and for the output's gradients
  Scalar* product_;       // (block or tile, width)
  Scalar* largest_;       // (tile): the largest score so far
  Scalar* sums_;          // (tile): Σ exp(score - largest) so far
  Scalar* corrections_;   // (tile): exp(largest before - largest now)
  Scalar* log_sums_;      // (tile)
  Scalar* along_;         // (tile): y · dL/dy
};

template <class Visitor>
void AttentionKernel::for_each_part(const Tile& tile, const KeyRange& block,
                                    const Visitor& visit) const {
  for (Index panel = 0; panel < tile.panels(); ++panel) {
    const Index first = panel * panel_queries;
    const KeyRange keys = tile.keys_of(panel).within(block);
    if (keys.count() > 0) {
      visit(Part{.first = first,
                 .queries = tile.queries_in(panel),
                 .columns = tile.panel_columns(panel),
                 .keys = keys,
                 .at = (keys.first - block.first) * tile.step() + first});
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
