// Chooses the heads to remove: the least important that can go. Heads that share keys are removed
// in sets, so that all remaining groups have the same size.
#include "lab/removal/head_removal.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

bool contains(const std::vector<Index>& heads, Index head) {
  return std::ranges::count(heads, head) > 0;
}

struct AttentionLeft {
  AttentionSite site;
  HeadGroups groups;
};
using ModelLeft = std::vector<AttentionLeft>;

ModelLeft removable_attentions(const Transformer& transformer) {
  ModelLeft left;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    if (why_none_goes(transformer, *attention).empty()) {
      left.push_back({.site = attention->site, .groups = HeadGroups(attention->spec)});
    }
  }
  return left;
}

// The possible numbers of removed heads, including 0.
std::set<Index> reachable(const ModelLeft& left) {
  std::set<Index> sums{0};
  for (const AttentionLeft& attention : left) {
    std::set<Index> more;
    for (const Index number : attention.groups.reachable()) {
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
    text += fmt::format(" (not those of {})", fixed_text(staying));
  }
  if (count < *sums.rbegin()) {
    const auto above = sums.lower_bound(count);
    text += fmt::format("; heads that share keys are removed together, so {} or {} can be removed",
                        *std::prev(above), *above);
  }
  throw ConfigError(text);
}

// A set of heads that may be removed next.
struct Candidate {
  std::size_t attention;
  std::vector<Index> heads;
  double slope = 0;
};

std::size_t place_of(const HeadName& head, const HeadGates& gates) {
  const auto found = std::ranges::find(gates, head, [](const auto& gate) { return gate->head(); });
  return static_cast<std::size_t>(found - gates.begin());
}

std::vector<Candidate> candidates_of(const ModelLeft& left, const HeadGates& gates,
                                     const std::vector<double>& slopes) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto slope = [&](Index head) { return slopes[place_of({left[i].site, head}, gates)]; };
    for (std::vector<Index>& heads : left[i].groups.removable(slope)) {
      const auto add = [&](double sum, Index head) { return sum + slope(head); };
      const double sum = std::accumulate(heads.begin(), heads.end(), 0.0, add);
      const double mean = sum / static_cast<double>(heads.size());
      candidates.push_back({.attention = i, .heads = std::move(heads), .slope = mean});
    }
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::slope);
  return candidates;
}

// Takes the set of smallest slope after which the requested count can still be reached.
RemovalStep take_next(ModelLeft& left, const HeadGates& gates, const std::vector<double>& slopes,
                      Index count) {
  for (const Candidate& candidate : candidates_of(left, gates, slopes)) {
    ModelLeft after = left;
    after[candidate.attention].groups.remove(candidate.heads);
    if (!reachable(after).contains(count - std::ssize(candidate.heads))) {
      continue;
    }
    RemovalStep step;
    for (const Index head : candidate.heads) {
      step.heads.push_back({left[candidate.attention].site, head});
      gates[place_of(step.heads.back(), gates)]->set(0);
    }
    left = std::move(after);
    return step;
  }
  throw ConfigError("no further set of {} heads can be removed", count);
}

}  // namespace

HeadGroups::HeadGroups(const AttentionSpec& spec)
    : groups_(static_cast<std::size_t>(spec.kv_heads)) {
  for (Index head = 0; head < spec.heads; ++head) {
    groups_[static_cast<std::size_t>(head / (spec.heads / spec.kv_heads))].push_back(head);
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

std::vector<std::vector<Index>> HeadGroups::removable(
    const std::function<double(Index head)>& slope) const {
  std::vector<std::vector<Index>> sets = groups_;
  if (!groups_.empty() && groups_.front().size() > 1) {
    sets.push_back(mapped(groups_, [&](const std::vector<Index>& group) {
      return *std::ranges::min_element(group, {}, slope);
    }));
  }
  return sets;
}

void HeadGroups::remove(const std::vector<Index>& heads) {
  for (std::vector<Index>& group : groups_) {
    std::erase_if(group, [&](Index head) { return contains(heads, head); });
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

std::vector<Index> HeadGroups::removable_among(const std::vector<Index>& heads) const {
  std::vector<Index> going;
  std::vector<std::vector<Index>> parts;  // for each remaining group, its heads that may go
  for (const std::vector<Index>& group : groups_) {
    std::vector<Index> part = group;
    std::erase_if(part, [&](Index head) { return !contains(heads, head); });
    if (part.size() == group.size()) {
      going.insert(going.end(), part.begin(), part.end());
    } else {
      parts.push_back(std::move(part));
    }
  }
  if (!parts.empty()) {
    const std::size_t each =
        std::ranges::min_element(parts, {}, [](const auto& part) { return part.size(); })->size();
    for (const std::vector<Index>& part : parts) {
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

HeadNames RemovalChoice::all_heads() const {
  HeadNames heads;
  for (const RemovalStep& step : steps) {
    heads.insert(heads.end(), step.heads.begin(), step.heads.end());
  }
  return heads;
}

HeadNames RemovalChoice::heads_within(double tolerance) const {
  const auto last =
      std::ranges::find_if(steps.rbegin(), steps.rend(),
                           [&](const RemovalStep& step) { return step.loss <= loss + tolerance; });
  return RemovalChoice{.loss = loss, .steps = {steps.begin(), last.base()}}.all_heads();
}

RemovalChoice choose_removal(Model& model, const Config& config, const Task& task,
                             const Split& split, std::optional<Index> count, Index slope_examples,
                             Workers& workers, const OnProgress& progress) {
  const auto loss = [&] {
    return count ? 0.0 : evaluate_memoryless(model, config, task, split, workers).loss();
  };
  ModelLeft left = removable_attentions(model.transformer);
  const Index all = count.value_or(*reachable(left).rbegin());
  expect_count(model.transformer, left, all);
  const auto few = first_examples(split, slope_examples).source;
  const HeadGates gates =
      gates_on(model, removable_among(model.transformer, heads_of(model.transformer)));
  RemovalChoice choice{.loss = loss()};
  for (Index done = 0; done < all;) {
    const std::vector<double> slopes = gate_slopes(model, *few, gates, workers);
    choice.steps.push_back(take_next(left, gates, slopes, all - done));
    choice.steps.back().loss = loss();
    done += std::ssize(choice.steps.back().heads);
    if (progress) {
      progress(done, all);
    }
  }
  return choice;
}

HeadNames removable_among(const Transformer& transformer, const HeadNames& heads) {
  HeadNames going;
  for (const AttentionLeft& attention : removable_attentions(transformer)) {
    const auto here = [&](const HeadName& head) { return head.site == attention.site; };
    const auto own = mapped(heads | std::views::filter(here), &HeadName::head);
    for (const Index head : attention.groups.removable_among(own)) {
      going.push_back({attention.site, head});
    }
  }
  return going;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
