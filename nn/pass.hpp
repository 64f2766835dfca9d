// A pass: what every layer gets when a model runs, in training, evaluation or decoding.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/linear.hpp"
#include "core/product/matrix_product.hpp"
#include "core/random/keep_bits.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/parameters.hpp"
#include "core/tape/tape.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// One head over one sequence: its attention weights before dropout, the scores whose softmax they
// are, and its output, before head dropout and before the combination with other heads.
struct RecordedAttention {
  AttentionSite site;
  Index segment;
  Index head;
  Tensor weights;  // (queries, keys)
  Tensor scores;   // (queries, keys); -inf where a query may not attend to a key
  Tensor output;   // (queries, d_v)
};
using Recorder = std::function<void(const RecordedAttention&)>;

// What a head does over one sequence instead of its own, with given weights: (queries, keys). Of
// nothing, the head does its own. Called by several threads, each for its own sequences.
using HeadSubstitute = std::function<std::optional<HeadAttention>(
    const AttentionSite& site, Index head, const Segment& queries, const Segment& keys)>;

class LaneMemory;

class Pass {
 public:
  // Evaluation: parameters are constants, and there is no dropout.
  Pass(Tape& tape, const ParameterStore& store) : tape_(tape), store_(store) {}

  // With gradients, but without dropout.
  Pass(Tape& tape, const ParameterStore& store, ParameterGradients& gradients)
      : tape_(tape), store_(store), gradients_(&gradients) {}

  // Training at a step: gradients go to `gradients`, and dropout is drawn from (seed, path of the
  // layer, step). Frozen parameters are constants.
  Pass(Tape& tape, const ParameterStore& store, ParameterGradients& gradients, std::uint64_t seed,
       Index step)
      : tape_(tape),
        store_(store),
        gradients_(&gradients),
        seed_(seed),
        step_(step),
        training_(true) {}

  Tape& tape() const { return tape_; }
  bool training() const { return training_; }

  // The leaf on this pass' tape for the parameter's block, also for a handle to its first rows.
  Var parameter(const Parameter& parameter);

  // The bias of `size` numbers; zeros if the layer has none.
  Var bias(const Parameter& bias, Index size);

  // linear() with a weight, and a bias if the layer has one, from the store; with all their rows or
  // with these. The weight may be a handle to a block's first rows.
  Var linear(const Var& x, const Parameter& weight, const Parameter& bias = {},
             const std::optional<WeightRows>& rows = {});

  // For many runs with the same weights that record nothing: each weight of a `linear` is packed
  // when it is first used, and stays packed.
  void keep_weights_packed() { packed_.resize(static_cast<std::size_t>(store_.blocks())); }

  // Dropout for the rows of `segments`, drawn from the stream `path`; none in evaluation.
  Dropout dropout(double probability, std::string_view path, const Segments& segments) const;

  // For draws that all batches and shards of a step share; none in evaluation.
  std::optional<Draws> step_draws(std::string_view path) const;

  Recorder recorder;
  HeadSubstitute substitute;     // if set, the pass has no gradients
  LaneMemory* memory = nullptr;  // of the lanes of the batch; null: none

 private:
  bool is_constant(Index block) const {
    return gradients_ == nullptr || (training_ && store_.frozen(block));
  }
  const PackedMatrix& packed(const Parameter& weight);

  Tape& tape_;
  const ParameterStore& store_;
  ParameterGradients* gradients_ = nullptr;
  std::uint64_t seed_ = 0;
  Index step_ = 0;
  bool training_ = false;
  PoolVector<std::optional<Var>> leaves_;
  PoolVector<std::optional<PackedMatrix>> packed_;  // empty: weights are not packed
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
