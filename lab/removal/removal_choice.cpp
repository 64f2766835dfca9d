// Removes the least important heads one after the other, for the pruning curve and to choose the
// heads that `prune` removes. For `prune`, heads that share keys are removed in sets, so that all
// remaining groups have the same size.
#include "lab/removal/head_removal.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

bool contains(const HeadNames& heads, const HeadName& head) {
  return std::ranges::count(heads, head) > 0;
}

using ModelLeft = std::vector<HeadGroups>;  // by attention

// The heads of all attentions that are not fixed: one by one, or in groups that share keys.
ModelLeft groups_of(const Transformer& transformer, WhyFixed why, bool one_by_one) {
  ModelLeft left;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    const AttentionSpec& spec = attention->spec;
    if (why(transformer, *attention).empty()) {
      left.emplace_back(attention->site, spec.heads, one_by_one ? spec.heads : spec.kv_heads);
    }
  }
  return left;
}

HeadNames removable_among(const ModelLeft& left, const HeadNames& heads) {
  HeadNames going;
  for (const HeadGroups& groups : left) {
    std::ranges::copy(groups.removable_among(heads), std::back_inserter(going));
  }
  return going;
}

// The possible numbers of removed heads, including 0.
std::set<Index> reachable(const ModelLeft& left) {
  std::set<Index> sums{0};
  for (const HeadGroups& groups : left) {
    std::set<Index> more;
    for (const Index number : groups.reachable()) {
      std::ranges::transform(sums, std::inserter(more, more.end()),
                             [number](Index sum) { return sum + number; });
    }
    sums = std::move(more);
  }
  return sums;
}

void expect_count(const Transformer& transformer, const ModelLeft& left, Index count) {
  const std::set<Index> sums = reachable(left);
  if (sums.contains(count)) {
    return;
  }
  const std::vector<FixedAttention> staying = fixed_attentions(transformer, why_none_goes);
  std::string text =
      fmt::format("{} heads cannot be removed: the model has {} heads, of which {} can be removed",
                  count, heads_of(transformer).size(), *sums.rbegin());
  if (!staying.empty()) {
    text += fmt::format(" (not the heads of {})", fixed_text(staying));
  }
  if (count < *sums.rbegin()) {
    const auto above = sums.lower_bound(count);
    text += fmt::format("; heads that share keys are removed together, so {} or {} can be removed",
                        *std::prev(above), *above);
  }
  throw ConfigError(text);
}

std::size_t place_of(const HeadName& head, const HeadGates& gates) {
  const auto found = std::ranges::find(gates, head, [](const auto& gate) { return gate->head(); });
  return static_cast<std::size_t>(found - gates.begin());
}

// The sets of heads that may be removed next, the least important first.
std::vector<PruningStep> candidates_of(const ModelLeft& left, const HeadGates& gates,
                                       const std::vector<double>& slopes) {
  const auto slope = [&](const HeadName& head) { return slopes[place_of(head, gates)]; };
  const auto add = [&](double sum, const HeadName& head) { return sum + slope(head); };
  std::vector<PruningStep> candidates;
  for (const HeadGroups& groups : left) {
    for (HeadNames& heads : groups.removable(slope)) {
      const double sum = std::accumulate(heads.begin(), heads.end(), 0.0, add);
      const double mean = sum / static_cast<double>(heads.size());
      candidates.push_back({.removed = std::move(heads), .importance = mean});
    }
  }
  std::ranges::stable_sort(candidates, {}, &PruningStep::importance);
  return candidates;
}

// Takes the set of smallest slope after which the requested count can still be reached.
PruningStep take_next(ModelLeft& left, const HeadGates& gates, const std::vector<double>& slopes,
                      Index count) {
  for (const PruningStep& candidate : candidates_of(left, gates, slopes)) {
    ModelLeft after = left;
    for (HeadGroups& groups : after) {
      groups.remove(candidate.removed);
    }
    if (!reachable(after).contains(count - std::ssize(candidate.removed))) {
      continue;
    }
    for (const HeadName& head : candidate.removed) {
      gates[place_of(head, gates)]->set(0);
    }
    left = std::move(after);
    return candidate;
  }
  throw ConfigError("no further set of {} heads can be removed", count);
}

// Removes `count` heads of `left` step by step, and then restores them. `examples`: for the slopes.
PruningCurve remove_in_turn(Model& model, ModelLeft left, Index count, const Source& examples,
                            const std::function<double()>& loss, Workers& workers,
                            const OnProgress& progress) {
  const HeadGates gates = gates_on(model, removable_among(left, heads_of(model.transformer)));
  PruningCurve curve{.loss = loss()};
  for (Index done = 0; done < count;) {
    const std::vector<double> slopes = gate_slopes(model, examples, gates, workers);
    PruningStep& step = curve.steps.emplace_back(take_next(left, gates, slopes, count - done));
    step.loss = loss();
    done += std::ssize(step.removed);
    step.left = count - done;
    if (progress) {
      progress(done, count);
    }
  }
  return curve;
}

}  // namespace

HeadGroups::HeadGroups(AttentionSite site, Index heads, Index groups)
    : groups_(static_cast<std::size_t>(groups)) {
  for (Index head = 0; head < heads; ++head) {
    groups_[static_cast<std::size_t>(head / (heads / groups))].push_back({site, head});
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

std::vector<HeadNames> HeadGroups::removable(
    const std::function<double(const HeadName&)>& slope) const {
  std::vector<HeadNames> sets = groups_;
  if (!groups_.empty() && groups_.front().size() > 1) {
    sets.push_back(mapped(groups_, [&](const HeadNames& group) {
      return *std::ranges::min_element(group, {}, slope);
    }));
  }
  return sets;
}

void HeadGroups::remove(const HeadNames& heads) {
  for (HeadNames& group : groups_) {
    std::erase_if(group, [&](const HeadName& head) { return contains(heads, head); });
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

HeadNames HeadGroups::removable_among(const HeadNames& heads) const {
  HeadNames going;
  std::vector<HeadNames> parts;  // for each remaining group, its heads that may go
  for (const HeadNames& group : groups_) {
    HeadNames part = group;
    std::erase_if(part, [&](const HeadName& head) { return !contains(heads, head); });
    if (part.size() == group.size()) {
      going.insert(going.end(), part.begin(), part.end());
    } else {
      parts.push_back(std::move(part));
    }
  }
  if (!parts.empty()) {
    const std::size_t each =
        std::ranges::min_element(parts, {}, [](const auto& part) { return part.size(); })->size();
    for (const HeadNames& part : parts) {
      going.insert(going.end(), part.begin(), part.begin() + static_cast<Index>(each));
    }
  }
  return going;
}

std::set<Index> HeadGroups::reachable() const {
  const auto groups = static_cast<Index>(groups_.size());
  const auto size = groups_.empty() ? Index{0} : static_cast<Index>(groups_.front().size());
  std::set<Index> numbers;
  for (Index left = 0; left <= groups; ++left) {
    for (Index each = 0; each <= size; ++each) {
      numbers.insert(groups * size - left * each);
    }
  }
  return numbers;
}

std::size_t PruningCurve::steps_within(double tolerance) const {
  const auto last =
      std::ranges::find_if(steps.rbegin(), steps.rend(),
                           [&](const PruningStep& step) { return step.loss <= loss + tolerance; });
  return static_cast<std::size_t>(steps.rend() - last);
}

HeadNames PruningCurve::removed_by(std::size_t first_steps) const {
  HeadNames heads;
  for (const PruningStep& step : steps | std::views::take(first_steps)) {
    heads.insert(heads.end(), step.removed.begin(), step.removed.end());
  }
  return heads;
}

PruningCurve prune_heads(Model& model, const Config& config, const Task& task, const Split& split,
                         Index slope_examples, Workers& workers, const OnProgress& progress) {
  if (shares_weights(model.transformer)) {
    return prune_heads(*with_weights_apart(model, config), config, task, split, slope_examples,
                       workers, progress);
  }
  const auto loss = [&] { return evaluate_memoryless(model, config, task, split, workers).loss(); };
  PruningCurve curve =
      remove_in_turn(model, groups_of(model.transformer, why_ungated, true),
                     std::ssize(gateable_heads(model.transformer)),
                     *first_examples(split, slope_examples).source, loss, workers, progress);
  curve.ungated = fixed_attentions(model.transformer, why_ungated);
  return curve;
}

PruningCurve choose_removal(Model& model, const Config& config, const Task& task,
                            const Split& split, std::optional<Index> count, Index slope_examples,
                            Workers& workers, const OnProgress& progress) {
  const ModelLeft left = groups_of(model.transformer, why_none_goes, false);
  const Index all = count.value_or(*reachable(left).rbegin());
  expect_count(model.transformer, left, all);
  const auto loss = [&] {
    return count ? 0.0 : evaluate_memoryless(model, config, task, split, workers).loss();
  };
  PruningCurve curve = remove_in_turn(
      model, left, all, *first_examples(split, slope_examples).source, loss, workers, progress);
  curve.ungated = fixed_attentions(model.transformer, why_none_goes);
  return curve;
}

HeadNames removable_among(const Transformer& transformer, const HeadNames& heads) {
  return removable_among(groups_of(transformer, why_none_goes, false), heads);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
