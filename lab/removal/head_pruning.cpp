#include "lab/removal/head_pruning.hpp"

#include "core/ops/heads/head_scaling.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<GatedHead> gated_heads(const Model& model) {
  std::vector<GatedHead> heads;
  for (const MultiHeadAttention* attention : model.transformer.attentions()) {
    const std::optional<Parameter>& log_alpha = attention->weights.gates.log_alpha;
    for (Index head = 0; log_alpha && head < attention->spec.heads; ++head) {
      Tape tape(false);
      const Var own = tape.constant(model.store.value(*log_alpha).part(head, {1}));
      heads.push_back({.head = {.site = attention->site, .head = head},
                       .gate = static_cast<double>(settled_gates(own).value().data()[0]),
                       .open = static_cast<double>(open_gates(own).value().data()[0])});
    }
  }
  return heads;
}

std::vector<HeadName> closed_heads(const std::vector<GatedHead>& heads) {
  std::vector<HeadName> closed;
  for (const GatedHead& head : heads) {
    if (head.gate == 0) {
      closed.push_back(head.head);
    }
  }
  return closed;
}

std::size_t PruningCurve::steps_within(double tolerance) const {
  const auto last =
      std::ranges::find_if(steps.rbegin(), steps.rend(),
                           [&](const PruningStep& step) { return step.loss <= loss + tolerance; });
  return static_cast<std::size_t>(steps.rend() - last);
}

PruningCurve prune_heads(Model& model, const Config& config, const Task& task, const Split& split,
                         Index slope_examples, Workers& workers,
                         const std::function<void(Index, Index)>& progress) {
  if (shares_weights(model.transformer)) {
    const auto apart = with_weights_apart(model, config);
    return prune_heads(*apart, config, task, split, slope_examples, workers, progress);
  }
  const auto loss = [&] {
    return evaluate(model, task, split, without_memory(config.evaluation), 0, workers).loss();
  };
  const auto few = first_examples(split, slope_examples).source;
  std::vector<HeadName> left = gateable_heads(model.transformer);
  HeadGates gates = gates_on(model, left);
  HeadGates removed;
  const auto all = static_cast<Index>(left.size());
  PruningCurve curve{.loss = loss(), .ungated = ungated_attentions(model.transformer)};
  while (!left.empty()) {
    const std::vector<double> slopes = gate_slopes(model, *few, gates, workers);
    const auto least = std::ranges::min_element(slopes) - slopes.begin();
    const auto at = static_cast<std::size_t>(least);
    gates[at]->set(0);
    curve.steps.push_back({.removed = left[at], .importance = slopes[at], .loss = loss()});
    removed.push_back(std::move(gates[at]));
    gates.erase(gates.begin() + least);
    left.erase(left.begin() + least);
    if (progress) {
      progress(static_cast<Index>(curve.steps.size()), all);
    }
  }
  return curve;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
