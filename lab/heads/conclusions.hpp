// What the figures of a run's heads come to: a few lines in plain English.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_pruning.hpp"

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

// None where the model needs each of its heads, or where those that it does not need cannot be
// removed.
std::optional<NextLook> next_look(const HeadFindings& found);

}}  // namespace tapehead::TAPEHEAD_PRECISION
