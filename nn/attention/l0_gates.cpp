#include "nn/attention/l0_gates.hpp"

#include "core/ops/heads/hard_concrete.hpp"
#include "core/ops/heads/head_scaling.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A little above log 11, from where on a settled gate is 1. So before training the model behaves as
// without gates.
constexpr double first_log_alpha = 2.5;

}  // namespace

L0Gates::L0Gates(const Scope& scope, const AttentionSpec& spec)
    : heads(spec.heads), d_v(spec.d_v), path((scope / "gates").path()) {
  if (heads > 0 && spec.gates == HeadGating::l0) {
    log_alpha =
        scope.create("gates", ParameterKind::gate, {heads}, Initializer::constant(first_log_alpha));
  }
}

Var L0Gates::operator()(Pass& pass, const Var& heads_side_by_side) const {
  if (!log_alpha) {
    return heads_side_by_side;
  }
  const Var openness = pass.parameter(*log_alpha);
  const std::optional<Draws> draws = pass.step_draws(path);
  return scale_heads({heads_side_by_side},
                     draws ? draw_gates(openness, *draws) : settled_gates(openness), heads, d_v);
}

void L0Gates::keep_heads(const KeptHeads& kept, const L0Gates& smaller, HeadCopy& copy) const {
  if (smaller.log_alpha) {
    copy.chunks(*log_alpha, *smaller.log_alpha, {.which = kept.heads, .size = 1});
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
