// What the figures of a run's heads come to: a few lines in plain English, and numbers with names,
// by which runs can be compared.
#pragma once

#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// How many of some heads a smaller model can do without.
enum class Removable { none, some, all };

struct HeadFindings {
  std::vector<AttentionReport> heads;
  std::vector<GatedHead> gates{};
  std::optional<Importance> importance{};
  std::optional<PruningCurve> pruning{};
  Removable closed = Removable::none;  // of the heads whose gates are closed
  Removable spare = Removable::none;   // of those that can go together, by the pruning
};

// Sets how many of the closed and of the spare heads of this model `prune` removes.
void find_removable(const Transformer& transformer, HeadFindings& found);

// The heads with a role, the best head for each relation (of many relations those that fixed
// offsets explain least, and in how many others a head is better), the two heads whose weights are
// most alike; and, as far as they are known, how many gates are closed, which head is needed most
// and how many heads can go.
std::vector<std::string> conclusions(const HeadFindings& found);

// What the findings leave open or make possible, and what the program has for it: the options
// `--importance` and `--prune`, or a smaller run, without closed heads or others.
enum class NextStep { importance, pruning, closed_heads_gone, spare_heads_gone };

struct NextLook {
  NextStep step;
  std::string why;
};

// None where the model needs each head that can be removed.
std::optional<NextLook> next_look(const HeadFindings& found);

using NamedFigures = std::map<std::string, double>;

// By kind of attention (encoder_self, decoder_self, cross): means over the heads of all layers that
// have the figure, sample deviations over more than one of them, and the best head for each
// relation. And how many heads of the whole model have which role.
NamedFigures summary_of(const std::vector<AttentionReport>& attentions,
                        const std::vector<HeadFigureRow>& rows = head_figure_rows());

// How many heads are closed.
NamedFigures summary_of(const std::vector<GatedHead>& gates);

// By attention: how much the loss grows without a head and with it alone. Of the whole model: the
// share of heads without which it grows by no more than `spare_loss`. Of heads with gates, if any.
NamedFigures summary_of(const Importance& importance);

// The share of the heads with gates that can go together before the loss has grown by `spare_loss`,
// and by ten times that.
NamedFigures summary_of(const PruningCurve& curve);

constexpr double spare_loss = 0.01;  // nats a target token

}}  // namespace tapehead::TAPEHEAD_PRECISION
