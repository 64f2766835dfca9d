#include "nn/transformer/best_tokens.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/memory/prefetch.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
constexpr Index tile_columns = 2 * lane_count;
// This many rows of the table stay in the second-level cache while all hypotheses use them.
constexpr Index block_tokens = 96;

// Logits are computed transposed: rows are a block of tokens, vector lanes are a tile of
// hypotheses. So the table is read in its own layout, and all work on the logits runs down the
// columns while they are in the first-level cache.
class TokenSearch {
 public:
  TokenSearch(const Tensor& hidden, Index count, TokenId excluded, LogSums log_sums,
              Precision precision)
      : precision_(precision),
        rows_(hidden.dim(0)),
        depth_(hidden.dim(1)),
        columns_((rows_ + lane_count - 1) / lane_count * lane_count),
        count_(count),
        excluded_(excluded),
        log_sums_(log_sums),
        best_(static_cast<std::size_t>(columns_ * count), {.token = -1, .logit = -infinity}),
        memory_(Tensor::empty({columns_ * (depth_ + 3) + block_tokens * tile_columns})) {
    panels_ = memory_.data();
    thresholds_ = panels_ + columns_ * depth_;
    largest_ = thresholds_ + columns_;
    sums_ = largest_ + columns_;
    logits_ = sums_ + columns_;
    // Packs the tiles, each (D, tile); zeros fill the last one.
    for (Index i = 0; i < columns_; ++i) {
      const Index tile = i / tile_columns * tile_columns;
      const Index width = std::min(tile_columns, columns_ - tile);
      for (Index d = 0; d < depth_; ++d) {
        panels_[tile * depth_ + d * width + i - tile] = i < rows_ ? hidden.row(i)[d] : Scalar{0};
      }
    }
    std::fill_n(thresholds_, rows_, -infinity);
    std::fill(thresholds_ + rows_, thresholds_ + columns_, infinity);
    std::fill_n(largest_, columns_, -infinity);
    std::fill_n(sums_, columns_, Scalar{0});
  }

  BestTokens run(const Tensor& table, const Tensor& bias) {
    const Index V = table.dim(0);
    for (Index first = 0; first < V; first += block_tokens) {
      const Index tokens = std::min(block_tokens, V - first);
      for (Index column = 0; column < columns_; column += tile_columns) {
        const Index width = std::min(tile_columns, columns_ - column);
        prefetch_share(table, first + block_tokens, column);
        const Start begin = start(bias, first, tokens, width);
        const Scalar* const panel = panels_ + column * depth_;
        if (precision_ == Precision::bfloat16) {
          matrix_product(tokens, width, depth_, {table.row(first), depth_}, {panel, width}, logits_,
                         width, begin.data != nullptr, precision_);
        } else {
          broadcast_product(tokens, depth_, width, {table.row(first), depth_, 1}, panel, width,
                            begin, logits_, width);
        }
        for (Index lane = 0; lane < width; lane += lane_count) {
          keep_best(logits_ + lane, width, first, tokens, column + lane);
          if (log_sums_ == LogSums::wanted) {
            add_exponentials(logits_ + lane, width, tokens, column + lane);
          }
        }
      }
    }
    if (!xsimd::all(zero_ == Lanes(Scalar{0}))) {
      throw NumericError("decoding: the model's logits are not finite; its weights have diverged");
    }
    best_.resize(static_cast<std::size_t>(rows_ * count_));
    const Index summed = log_sums_ == LogSums::wanted ? rows_ : 0;
    return {.count = count_,
            .tokens = std::move(best_),
            .log_sums = mapped(numbers_below(summed), [&](Index i) {
              return static_cast<double>(largest_[i] + std::log(sums_[i]));
            })};
  }

 private:
  // A block's logits begin with the biases of its tokens.
  Start start(const Tensor& bias, Index first_token, Index tokens, Index width) const {
    if (!bias.has_memory()) {
      return {};
    }
    for (Index j = 0; j < tokens; ++j) {
      std::fill_n(logits_ + j * width, width, bias.data()[first_token + j]);
    }
    return {logits_, width};
  }

  // Prefetches the tile's share of the next block.
  void prefetch_share(const Tensor& table, Index first_token, Index column) const {
    const Index tokens = std::clamp<Index>(table.dim(0) - first_token, 0, block_tokens);
    const Index tiles = (columns_ + tile_columns - 1) / tile_columns;
    const Index share = (tokens + tiles - 1) / tiles;
    const Index begin = std::min(tokens, column / tile_columns * share);
    const Index end = std::min(tokens, begin + share);
    prefetch(table.data() + (first_token + begin) * depth_, (end - begin) * depth_);
  }

  // The next functions take the logits of one vector of hypotheses, from number `column` on.

  void keep_best(const Scalar* logits, Index step, Index first_token, Index tokens, Index column) {
    Lanes threshold = Lanes::load_unaligned(thresholds_ + column);
    Lanes zero = zero_;
    for (Index j = 0; j < tokens; ++j) {
      const Lanes x = Lanes::load_unaligned(logits + j * step);
      zero = fused_multiply_add(x, Lanes(Scalar{0}), zero);
      if (xsimd::any(x > threshold)) {
        keep(logits + j * step, static_cast<TokenId>(first_token + j), column);
        threshold = Lanes::load_unaligned(thresholds_ + column);
      }
    }
    zero_ = zero;
  }

  // Adds to Σ exp(logit - largest). If the largest logit changes, earlier terms are rescaled.
  void add_exponentials(const Scalar* logits, Index stride, Index tokens, Index column) {
    const Lanes before = Lanes::load_unaligned(largest_ + column);
    Lanes largest = before;
    for (Index j = 0; j < tokens; ++j) {
      largest = xsimd::max(largest, Lanes::load_unaligned(logits + j * stride));
    }
    Lanes sum(Scalar{0});
    for (Index j = 0; j < tokens; ++j) {
      sum += exp_of_small(Lanes::load_unaligned(logits + j * stride) - largest);
    }
    const Lanes earlier = Lanes::load_unaligned(sums_ + column) * exp_of_small(before - largest);
    (earlier + sum).store_unaligned(sums_ + column);
    largest.store_unaligned(largest_ + column);
  }

  // Takes the logits of one token for one vector of hypotheses.
  void keep(const Scalar* logits, TokenId token, Index column) {
    if (token == excluded_) {
      return;
    }
    for (Index lane = 0; lane < lane_count; ++lane) {
      const Scalar logit = logits[lane];
      if (logit > thresholds_[column + lane]) {
        TokenLogit* list = best_.data() + (column + lane) * count_;
        Index i = count_ - 1;
        for (; i > 0 && list[i - 1].logit < logit; --i) {
          list[i] = list[i - 1];
        }
        list[i] = {.token = token, .logit = logit};
        thresholds_[column + lane] = list[count_ - 1].logit;
      }
    }
  }

  Precision precision_;
  Index rows_;
  Index depth_;
  Index columns_;  // number of hypotheses, rounded up to whole vectors
  Index count_;
  TokenId excluded_;
  LogSums log_sums_;
  Lanes zero_ = Lanes(Scalar{0});  // becomes NaN if any logit is not finite
  std::vector<TokenLogit> best_;   // (columns, count), largest first
  Tensor memory_;
  Scalar* panels_;
  Scalar* thresholds_;  // (columns): the smallest logit in each list
  Scalar* largest_;     // (columns): the largest logit so far
  Scalar* sums_;        // (columns): Σ exp(logit - largest)
  Scalar* logits_;      // (block, tile)
};

}  // namespace

BestTokens best_tokens(const Tensor& hidden, const Tensor& table, const Tensor& bias, Index count,
                       TokenId excluded, LogSums log_sums, Precision precision) {
  const Index V = table.dim(0);
  const Index choices = excluded >= 0 && excluded < V ? V - 1 : V;
  return TokenSearch(hidden, std::min(count, choices), excluded, log_sums, precision)
      .run(table, bias);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
