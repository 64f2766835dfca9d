#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr const char* digits = "{:.4f}";

std::string ungated_text(const std::vector<FixedAttention>& attentions) {
  return attentions.empty() ? "" : "\n  left out: " + fixed_text(attentions);
}

Json ungated_json(const std::vector<FixedAttention>& attentions) {
  return mapped(attentions, [](const FixedAttention& one) -> Json {
    return {{"attention", one.site.text()}, {"heads", one.heads}, {"why", one.why}};
  });
}

// Adds columns for the attention and the head. Only the first head shows the attention.
template <class Of>
std::vector<FigureRow<Of>> with_names(std::vector<FigureRow<Of>> rows) {
  const FigureRow<Of> attention{
      "attention", "attention",
      "",          [](const Of& one) { return one.head.site.text(); },
      "",          [](const Of& one) { return one.head.head == 0 ? one.head.site.text() : ""; }};
  rows.insert(rows.begin(),
              {attention, {"head", "head", "", [](const Of& one) { return one.head.head; }, "{}"}});
  return rows;
}

// A figure of the heads that a step removes; null without a removal.
template <class Part>
auto of_removal(Part of) {
  return [of](const PruningStep& step) { return step.removed.empty() ? Json() : Json(of(step)); };
}

}  // namespace

std::vector<FigureRow<HeadImportance>> importance_rows(double loss) {
  using Head = HeadImportance;
  return with_names<Head>(
      {{"loss_without", "loss without", "mean loss of a target token without the head",
        [](const Head& head) { return head.loss_without; }, digits},
       {"", "more", "", [loss](const Head& head) { return head.loss_without - loss; }, "{:+.4f}"},
       {"loss_alone", "loss alone", "mean loss with only this head in its attention",
        [](const Head& head) { return head.loss_alone; }, digits},
       {"", "more", "increase over the loss with all heads",
        [loss](const Head& head) { return head.loss_alone - loss; }, "{:+.4f}"},
       {"importance", "importance",
        "how fast a gate on the head's output would change the loss: |dL/dgate|",
        [](const Head& head) { return head.slope; }, digits}});
}

std::vector<FigureRow<PruningStep>> pruning_rows() {
  using Step = PruningStep;
  return {{"", "heads left", "how many heads are left without the least important",
           [](const Step& step) { return step.left; }, "{}"},
          {"attention", "removed", "the attention of the removed head",
           of_removal([](const Step& step) { return step.removed.front().site.text(); }), as_words},
          {"head", "head", "",
           of_removal([](const Step& step) { return step.removed.front().head; }), "{}"},
          {"importance", "importance", "",
           of_removal([](const Step& step) { return step.importance; }), digits},
          {"loss", "loss", "without it and the heads removed before",
           [](const Step& step) { return step.loss; }, digits}};
}

std::vector<FigureRow<GatedHead>> gate_rows() {
  return with_names<GatedHead>(
      {{"gate", "gate", "what the head is multiplied by, where training closes gates",
        [](const GatedHead& head) { return head.gate; }, "{:.3f}"},
       {"open", "open", "the probability that the gate drawn in training is not 0",
        [](const GatedHead& head) { return head.open; }, "{:.3f}"}});
}

std::string importance_table(const Importance& importance) {
  return table_of(importance_rows(importance.loss), importance.heads) +
         fmt::format("\n  loss with all heads {:.4f}", importance.loss) +
         ungated_text(importance.ungated);
}

Json importance_json(const Importance& importance) {
  return {{"loss", importance.loss},
          {"heads", json_of(importance_rows(), importance.heads)},
          {"without_gates", ungated_json(importance.ungated)}};
}

std::string pruning_table(const PruningCurve& curve) {
  std::vector<PruningStep> steps = curve.steps;
  steps.insert(steps.begin(),
               PruningStep{.removed = {}, .loss = curve.loss, .left = std::ssize(curve.steps)});
  return table_of(pruning_rows(), steps) + ungated_text(curve.ungated);
}

Json pruning_json(const PruningCurve& curve) {
  return {{"loss", curve.loss},
          {"steps", json_of(pruning_rows(), curve.steps)},
          {"without_gates", ungated_json(curve.ungated)}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
