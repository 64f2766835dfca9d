// Summaries of what the heads of a run do: in plain English, and as named numbers to compare runs.
#pragma once

#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct HeadFindings {
  AttentionReports heads;
  std::vector<GatedHead> gates{};
  std::optional<Importance> importance{};
  std::optional<PruningCurve> pruning{};
};

// Lines about the heads with a role; the best head for the relations that exceed fixed offsets
// most, with the number of further relations; and the two heads with the most similar weights. If
// known: how many gates are closed, which head is needed most, how many heads can go.
std::vector<std::string> conclusions(const HeadFindings& found);

// A user's next step: `--importance`, `--prune`, or a smaller run without closed or spare heads.
enum class NextStep { importance, pruning, closed_heads_gone, spare_heads_gone };

struct NextLook {
  NextStep step;
  std::string why;
};

// Nothing if the model needs each head that can be removed. Promises only what `prune` can do.
std::optional<NextLook> next_look(const Transformer& transformer, const HeadFindings& found);

using NamedFigures = std::map<std::string, double>;

// For each kind of attention (encoder_self, decoder_self, cross): means over all heads with the
// figure, in all layers; sample deviations if several heads have it; and the best head for each
// relation. For the whole model: the number of heads with each role.
NamedFigures summary_of(const AttentionReports& attentions,
                        const HeadFigureRows& rows = head_figure_rows());

NamedFigures summary_of(const std::vector<GatedHead>& gates);  // the number of closed heads

// For each attention: how much the loss grows without a head and with it alone. For the model: the
// share of heads without which it grows by at most `spare_loss`. Counts gateable heads only.
NamedFigures summary_of(const Importance& importance);

// The share of the gateable heads that can be removed together before the loss grows by more than
// `spare_loss`, and by more than ten times `spare_loss`.
NamedFigures summary_of(const PruningCurve& curve);

constexpr double spare_loss = 0.01;  // nats per target token

}}  // namespace tapehead::TAPEHEAD_PRECISION
