// The options of the attention op: number and width of heads, patterns and scores. Any function of
// a query vector and a key vector can replace the dot product as score.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/bias.hpp"
#include "core/ops/heads/head_columns.hpp"
#include "core/random/keep_bits.hpp"
#include "core/sequence/pattern.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Some queries and keys of one head, in all pairs, and the head's learned numbers. Number c of
// query q is queries[c query_step + q]. Zeros follow the `query_count` queries, up to `columns`, a
// multiple of the vector length. Key j begins at keys + j key_step.
struct PairPanel {
  Index width;
  const Scalar* queries;
  Index query_step;
  Index query_count;
  Index columns;
  const Scalar* keys;
  Index key_step;
  Index key_count;
  std::span<const Scalar> weights;
};

// Where gradients are added, row by row. A pointer is null if its gradient is not needed.
struct PairGradients {
  Scalar* queries;
  Index query_stride;
  Scalar* keys;
  Index key_stride;
  Scalar* weights;
};

// A score of query and key. Several threads call its functions at once.
class PairScore {
 public:
  virtual ~PairScore() = default;

  // The number of learned numbers in each head.
  virtual Index weight_count(Index /*d_key*/) const { return 0; }
  // Sets to[j step + q] to the score of query q and key j, for all columns. Columns from
  // `query_count` on may hold any finite number.
  virtual void scores(const PairPanel& pairs, Scalar* to, Index step) const = 0;
  // Adds the gradients that follow from dL/dscore of query q and key j, dscores[j step + q].
  // Columns of dscores from `query_count` on have no meaning.
  virtual void gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                         const PairGradients& to) const = 0;
};

// Base of scores that are computed one pair at a time.
class SinglePairScore : public PairScore {
 public:
  void scores(const PairPanel& pairs, Scalar* to, Index step) const final;
  void gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                 const PairGradients& to) const final;

 protected:
  virtual Scalar score(std::span<const Scalar> query, std::span<const Scalar> key) const = 0;
  virtual void backward(Scalar dscore, std::span<const Scalar> query, std::span<const Scalar> key,
                        std::span<Scalar> dquery, std::span<Scalar> dkey) const = 0;
};

// A score of your own: a function of a query and a key. Its `backward` adds dscore times the
// derivatives to the gradients of query and key.
template <class Function>
concept PairFunction = requires(const Function& f, std::span<const Scalar> in, Scalar dscore,
                                std::span<Scalar> gradient) {
  { f(in, in) } -> std::convertible_to<Scalar>;
  f.backward(dscore, in, in, gradient, gradient);
};

template <PairFunction Function>
std::shared_ptr<const PairScore> score_by(Function function) {
  class Kept : public SinglePairScore {
   public:
    explicit Kept(Function of) : function_(std::move(of)) {}

   private:
    Scalar score(std::span<const Scalar> query, std::span<const Scalar> key) const override {
      return function_(query, key);
    }
    void backward(Scalar dscore, std::span<const Scalar> query, std::span<const Scalar> key,
                  std::span<Scalar> dquery, std::span<Scalar> dkey) const override {
      function_.backward(dscore, query, key, dquery, dkey);
    }

    Function function_;
  };
  return std::make_shared<const Kept>(std::move(function));
}

// The additive score of Bahdanau et al. 2015 (section 3.1, where q is a decoder's state and k an
// annotation): f(q, k) = Σ_c v_c tanh(q_c + k_c). Each head learns its own v.
class AdditiveScore : public PairScore {
 public:
  Index weight_count(Index d_key) const override { return d_key; }
  void scores(const PairPanel& pairs, Scalar* to, Index step) const override;
  void gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                 const PairGradients& to) const override;
};

struct AttentionOptions {
  Index heads = 1;
  Index d_key = 1;                                // width of a head's queries and keys
  Index d_value = 1;                              // width of a head's values
  PoolVector<Pattern> patterns{Pattern::full()};  // for all heads, or one per head
  Dropout dropout{};                              // of the weights
  // The number of key and value heads. Each serves equally many neighbouring query heads (Shazeer
  // 2019: one serves all; Ainslie et al. 2023). Absent: `heads`.
  std::optional<Index> kv_heads{};
  std::optional<double> scale{};  // of the scores; absent: 1 / √d_key
  // One entry for all heads, or one per head. Empty or null: the dot product of query and key.
  PoolVector<std::shared_ptr<const PairScore>> scores{};

  Index key_heads() const { return kv_heads.value_or(heads); }
  Index key_head(Index head) const { return head / (heads / key_heads()); }
  Scalar score_factor() const {
    return static_cast<Scalar>(scale.value_or(1 / std::sqrt(static_cast<double>(d_key))));
  }
  const PairScore* score(Index head) const;
  Index score_weights_before(Index head) const;  // learned numbers of the heads before this one
};

// The arguments of the attention op, which core/ops/attention/attention.hpp explains.
struct AttentionCall {
  HeadColumns query;
  HeadColumns key;
  HeadColumns value;
  const Segments& queries;
  const Segments& keys;
  AttentionOptions options;
  AttentionBias bias{};
  std::optional<Var> score_weights{};
  std::optional<HeadColumns> sink_query{};
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
