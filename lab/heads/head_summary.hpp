// The heads of a run in a few numbers each with a name, so that runs can be compared by them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_pruning.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using NamedFigures = std::map<std::string, double>;

// What heads do, by kind of attention (encoder_self, decoder_self, cross): means over the heads of
// all layers that have the figure, spreads as sample deviations over them, and the best head for
// each relation. What no head has, and the spread of a single head, is not among them. And how many
// heads of the whole model have which role.
NamedFigures summary_of(const std::vector<AttentionReport>& attentions,
                        const std::vector<HeadFigureRow>& rows = head_figure_rows());

// How many heads are closed.
NamedFigures summary_of(const std::vector<GatedHead>& gates);

// By attention: how much the loss grows without a head and with it alone. Of the whole model: the
// share of heads without which it grows by no more than `spare_loss`. Heads without gates are in
// none of these figures; where there are no others, neither are the figures.
NamedFigures summary_of(const Importance& importance);

// The share of the heads with gates that can go together before the loss has grown by `spare_loss`,
// and by ten times that.
NamedFigures summary_of(const PruningCurve& curve);

constexpr double spare_loss = 0.01;  // nats a target token

}}  // namespace tapehead::TAPEHEAD_PRECISION
