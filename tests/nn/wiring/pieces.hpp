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

// Replaces a part of the model.
template <class Part>
Plant with(Part WiredModel::* part, const std::type_identity_t<Part>& replacement) {
  return [part, replacement](WiredModel& model) { model.*part = replacement; };
}

// Replaces the connection of a block.
inline Plant at_block(const std::string& path, const Connection& connection) {
  return [path, connection](WiredModel& model) { model.connections[path] = connection; };
}

// The correct residual connection around a changed block.
template <class Changed>
Connection around(const Changed& changed) {
  return [changed](const Joint& at) {
    return at.residual(at.run.pass, at.x, at.segments,
                       [&](const Var& normed) { return changed(at, normed); });
  };
}

// The pre-norm residual connection with another sum of its input and the block's output.
template <class Sum>
Connection summed_by(const Sum& sum) {
  return [sum](const Joint& at) {
    return sum(at.x, at.block(at.run.pass, at.residual.norm(at.run.pass, at.x)));
  };
}

inline Var right_sum(const Var& x, const BlockOutput& out) {
  return residual(x, out.value, out.bias);
}

// The pre-norm residual connection; the norm's gain comes from a pass of the run.
inline Connection with_gain_of(Pass Run::* pass) {
  return [pass](const Joint& at) {
    const Var gain = (at.run.*pass).parameter(at.residual.norm.gain);
    const Var bias = at.run.pass.parameter(at.residual.norm.bias);
    return right_sum(at.x, at.block(at.run.pass, layer_norm(at.x, gain, bias)));
  };
}

// The feed-forward block with a given inner weight and bias.
inline BlockOutput feed_forward_with(Pass& pass, const FeedForward& of, const Var& x,
                                     const Var& inner_weight, const Var& inner_bias) {
  const Var hidden = bias_activation(linear(x, inner_weight), inner_bias, of.activation);
  return {linear(hidden, pass.parameter(of.outer_weight)), pass.parameter(of.outer_bias)};
}

// The feed-forward block of decoder layer 1; its inner bias comes from a pass of the run.
inline Connection with_inner_bias_of(Pass Run::* pass) {
  return around([pass](const Joint& at, const Var& normed) {
    const FeedForward& of = at.run.model.decoder[1].feed_forward->block;
    return feed_forward_with(at.run.pass, of, normed, at.run.pass.parameter(of.inner_weight),
                             (at.run.*pass).parameter(of.inner_bias));
  });
}

// The cross-attention of a decoder layer in pieces. `choose` makes the heads from the right ones
// and from those that take keys for values and values for keys. The parameters of the query
// projection come from a pass of the run.
inline Connection cross_attention(
    std::size_t layer, Pass Run::* queries,
    const std::function<Var(const Var& right, const Var& exchanged)>& choose) {
  return around([=](const Joint& at, const Var& normed) {
    const MultiHeadAttention& of = at.run.model.decoder[layer].cross->attention;
    // One block for queries, one for keys and values.
    const HeadProjections::Block& query_block = of.weights.projections.blocks[0];
    const HeadProjections::Block& key_block = of.weights.projections.blocks[1];
    Pass& pass = at.run.pass;
    Pass& own = at.run.*queries;
    const Var query =
        linear(normed, own.parameter(query_block.weight), own.parameter(query_block.bias));
    const Var both =
        linear(at.memory, pass.parameter(key_block.weight), pass.parameter(key_block.bias));
    const auto attend = [&](Index key, Index value) {
      return attention({query, 0}, {both, key}, {both, value}, at.segments, at.memory_segments,
                       {.heads = of.spec.heads, .d_key = of.spec.d_qk, .d_value = of.spec.d_v});
    };
    const Index columns = of.key_columns();
    return BlockOutput{linear(choose(attend(0, columns), attend(columns, 0)),
                              pass.parameter(of.weights.combination.output_weight)),
                       pass.parameter(of.weights.combination.output_bias)};
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
