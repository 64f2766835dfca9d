// A pass: the context in which layers run, in training, evaluation or decoding.
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

// One head over one sequence: its attention weights before dropout, its scores before softmax, and
// its output before head dropout and before the heads are combined.
struct RecordedAttention {
  AttentionSite site;
  Index segment;
  Index head;
  Tensor weights;  // (queries, keys)
  Tensor scores;   // (queries, keys); -inf where a query may not attend to a key
  Tensor output;   // (queries, d_v)
};
using Recorder = std::function<void(const RecordedAttention&)>;

// Replaces a head's output over one sequence by the output of given weights: (queries, keys). If it
// returns nothing, the head keeps its own. Several threads call it, each for its own sequences.
using HeadSubstitute = std::function<std::optional<HeadAttention>(
    const AttentionSite& site, Index head, const Segment& queries, const Segment& keys)>;

// A value on its way through a module: the vectors of its heads, or of one head of the rows' width.
struct ShownValue {
  std::string_view path;  // of the module, such as decoder.layers.0.self
  std::string_view name;  // of the value, such as query
  HeadColumns columns;
  Index heads;
  Index width;
};
using ValueWatcher = std::function<void(const ShownValue&)>;
using CallWatcher = std::function<void(const AttentionSite&, const AttentionCall&)>;

class LaneMemory;

class Pass {
 public:
  // Evaluation: parameters are constants, and there is no dropout.
  Pass(Tape& tape, const ParameterStore& store)
      : precision(store.precision), tape_(tape), store_(store) {}

  // With gradients, but without dropout.
  Pass(Tape& tape, const ParameterStore& store, ParameterGradients& gradients)
      : tape_(tape), store_(store), gradients_(&gradients) {}

  // One step of training. Gradients go to `gradients`; dropout is drawn from (seed, path of the
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

  // The leaf on the pass's tape for the parameter's block. `parameter` may be its first rows only.
  Var parameter(const Parameter& parameter);

  // The bias, or `size` zeros if the layer has none.
  Var bias(const Parameter& bias, Index size);

  // linear() with a weight and an optional bias of the store, with all their rows or with `rows`.
  // The weight may be a handle to a block's first rows.
  Var linear(const Var& x, const Parameter& weight, const Parameter& bias = {},
             const std::optional<WeightRows>& rows = {});

  // For many unrecorded runs with the same weights: linear() packs each weight at its first use.
  void keep_weights_packed() { packed_.resize(static_cast<std::size_t>(store_.blocks())); }

  // Dropout for the rows of `segments`, drawn from the stream `path`; none in evaluation.
  Dropout dropout(double probability, std::string_view path, const Segments& segments) const;

  // Draws that all batches and shards of a step share; none in evaluation.
  std::optional<Draws> step_draws(std::string_view path) const;

  // Calls the watcher, if there is one.
  void show(std::string_view path, std::string_view name, const HeadColumns& columns, Index heads,
            Index width) const {
    if (watcher) {
      watcher({path, name, columns, heads, width});
    }
  }
  void show(std::string_view path, std::string_view name, const Var& rows) const {
    show(path, name, {.matrix = rows}, 1, rows.shape()[1]);
  }

  Recorder recorder;
  ValueWatcher watcher;
  CallWatcher call_watcher;                  // called before each attention op
  HeadSubstitute substitute;                 // if set, the pass has no gradients
  Precision precision = Precision::float32;  // of the products of linear maps
  LaneMemory* memory = nullptr;              // memory of the batch's lanes; null: no memory

 private:
  Tape& tape_;
  const ParameterStore& store_;
  ParameterGradients* gradients_ = nullptr;
  std::uint64_t seed_ = 0;
  Index step_ = 0;
  bool training_ = false;
  PoolVector<std::optional<Var>> leaves_;
  PoolVector<std::optional<PackedMatrix>> packed_;  // by block; empty: weights are not packed
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
