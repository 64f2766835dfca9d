// Building blocks of faults: values without or with a foreign gradient, and blocks taken apart.
#pragma once

#include "core/ops/activation.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/residual.hpp"
#include "tests/nn/wiring/model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// The value of x without its gradient path.
inline Var detached(const Var& x) { return x.tape().constant(x.value()); }

// The value of x; the gradient goes to `other`.
inline Var with_gradient_of(const Var& other, const Var& x) {
  return x.tape().record("with_gradient_of", {other}, x.value(),
                         [](Gradients& g) { g.add(0, g.take_output()); });
}

// The correct residual connection around a changed block.
template <class Changed>
Connection around(const Changed& changed) {
  return
      [changed](Run& run, const Residual& of, const Var& x, const Rows& rows, const Block& block) {
        return of(run.pass, x, rows.own,
                  [&](const Var& normed) { return changed(run, normed, rows, block); });
      };
}

// The pre-norm residual connection with another sum of its input and the block's output.
template <class Sum>
Connection summed_by(const Sum& sum) {
  return [sum](Run& run, const Residual& of, const Var& x, const Rows&, const Block& block) {
    return sum(x, block(run.pass, of.norm(run.pass, x)));
  };
}

// The pre-norm residual connection; the norm's gain comes from `pass`.
inline Var with_gain_of(Pass& pass, Run& run, const Residual& of, const Var& x,
                        const Block& block) {
  const Var bias = run.pass.parameter(of.norm.bias);
  const BlockOutput out = block(run.pass, layer_norm(x, pass.parameter(of.norm.gain), bias));
  return residual(x, out.value, out.bias);
}

// The feed-forward block with a given inner weight and bias.
inline BlockOutput feed_forward_with(Run& run, const FeedForward& of, const Var& x,
                                     const Var& inner_weight, const Var& inner_bias) {
  const Var hidden = bias_activation(linear(x, inner_weight), inner_bias, of.activation);
  return {linear(hidden, run.pass.parameter(of.outer_weight)), run.pass.parameter(of.outer_bias)};
}

// Cross-attention in pieces: the heads can take keys and values from any columns.
class CrossPieces {
 public:
  // The parameters of the query projection come from the pass `queries`.
  CrossPieces(Run& run, const MultiHeadAttention& of, Pass& queries, const Var& normed,
              const Rows& rows)
      : run_(run),
        of_(of),
        rows_(rows),
        query_(linear(normed, queries.parameter(query_block().weight),
                      queries.parameter(query_block().bias))),
        keys_and_values_(linear(rows.memory, run.pass.parameter(key_block().weight),
                                run.pass.parameter(key_block().bias))) {}

  Var right() const { return attend(0, of_.key_columns()); }
  Var exchanged() const { return attend(of_.key_columns(), 0); }

  BlockOutput output(const Var& heads) const {
    return {linear(heads, run_.pass.parameter(of_.weights.combination.output_weight)),
            run_.pass.parameter(of_.weights.combination.output_bias)};
  }

 private:
  // One block for queries, one for keys and values.
  const HeadProjections::Block& query_block() const { return of_.weights.projections.blocks[0]; }
  const HeadProjections::Block& key_block() const { return of_.weights.projections.blocks[1]; }

  Var attend(Index key, Index value) const {
    return attention({query_, 0}, {keys_and_values_, key}, {keys_and_values_, value}, rows_.own,
                     rows_.memory_segments,
                     {.heads = of_.spec.heads, .d_key = of_.spec.d_qk, .d_value = of_.spec.d_v});
  }

  Run& run_;
  const MultiHeadAttention& of_;
  const Rows& rows_;
  Var query_;
  Var keys_and_values_;
};

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
