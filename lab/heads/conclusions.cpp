#include "lab/heads/conclusions.hpp"

#include "lab/removal/head_removal.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t shown_heads = 4;      // for each role
constexpr std::size_t shown_relations = 3;  // a task may have twenty
constexpr double alike = 0.05;              // nats; 0.69 = log 2 if the two heads share no key

std::string listed(std::vector<std::string> names) {
  if (names.size() > shown_heads) {
    const std::size_t more = names.size() - (shown_heads - 1);
    names.resize(shown_heads - 1);
    return fmt::format("{} and {} more", join(names, ", "), more);
  }
  return join(names, ", ");
}

Lines role_lines(const AttentionReports& attentions) {
  std::array<std::vector<std::string>, role_names.size()> by_role;
  const std::vector<ReportedHead> heads = heads_of(attentions);
  for (const ReportedHead& head : heads) {
    by_role[static_cast<std::size_t>(head->figures.role)].push_back(
        head_at(head.attention.site, head.number).text());
  }
  const std::size_t with = heads.size() - by_role[static_cast<std::size_t>(Role::none)].size();
  Lines lines{fmt::format("{} of {} heads {} a role{}", with, heads.size(),
                          with == 1 ? "has" : "have", with == 0 ? "" : ":")};
  for (std::size_t role = 0; role < by_role.size(); ++role) {
    if (!by_role[role].empty() && role != static_cast<std::size_t>(Role::none)) {
      lines.push_back(fmt::format("  {} {}: {}", by_role[role].size(), role_names[role],
                                  listed(by_role[role])));
    }
  }
  return lines;
}

std::string relation_line(const BestHead& one) {
  const std::string& relation = one.relation.name;
  const std::string head = head_at(one.site, one.head).text();
  const std::string offset = format_share(one.relation.offset_share);
  const std::optional<double> agreement = one.agreement();
  if (one.relation.over_offset(one.head) > 0) {
    return fmt::format("best head for \"{}\": {}, {} of the queries, best fixed offset {}",
                       relation, head, format_share(*agreement), offset);
  }
  return fmt::format("best fixed offset for \"{}\": {} of the queries, which no head exceeds; {}",
                     relation, offset,
                     !agreement ? "no head may attend to a related key"
                     : *agreement == 0
                         ? "no head agrees in any query"
                         : fmt::format("closest: {}, {}", head, format_share(*agreement)));
}

// Shows the relations that exceed the best fixed offset most: a head that only matches the offset
// may have learnt the offset.
void add_relation_lines(Lines& lines, const AttentionReports& attentions) {
  std::vector<BestHead> best = best_heads(attentions);
  std::ranges::stable_sort(best, std::ranges::greater(),
                           [](const BestHead& one) { return one.relation.over_offset(one.head); });
  for (const BestHead& one : best | std::views::take(shown_relations)) {
    lines.push_back(relation_line(one));
  }
  if (best.size() > shown_relations) {
    const auto beyond = std::ranges::count_if(
        best | std::views::drop(shown_relations),
        [](const BestHead& one) { return one.relation.over_offset(one.head) > 0; });
    lines.push_back(
        fmt::format("further relations: {}; in {} of them the best head exceeds the best fixed "
                    "offset",
                    best.size() - shown_relations, beyond));
  }
}

std::optional<std::pair<HeadName, NearestHead>> most_alike(const AttentionReports& attentions) {
  std::optional<std::pair<HeadName, NearestHead>> pair;
  for (const ReportedHead& head : heads_of(attentions)) {
    const std::optional<NearestHead>& nearest = head->nearest;
    if (nearest && (!pair || nearest->distance < pair->second.distance)) {
      pair.emplace(head_at(head.attention.site, head.number), *nearest);
    }
  }
  return pair;
}

std::ptrdiff_t spare_heads(const Importance& importance) {
  return std::ranges::count_if(importance.heads, [&](const HeadImportance& head) {
    return head.loss_without - importance.loss <= spare_loss;
  });
}

// How many heads of a list a smaller model can leave out.
enum class Removable { none, some, all };

Removable removable_of(const Transformer& transformer, const HeadNames& heads) {
  const std::size_t going = removable_among(transformer, heads).size();
  return going == 0 ? Removable::none : going < heads.size() ? Removable::some : Removable::all;
}

// The pruning curve removes heads one by one. `prune` can follow the curve only if each head can be
// removed alone: heads that share keys are removed in sets, which may contain other heads.
Removable spare_of(const Transformer& transformer, const PruningCurve& curve) {
  const HeadNames spare = curve.removed_by(curve.steps_within(spare_loss));
  const bool one_by_one = std::ranges::all_of(
      spare, [&](const HeadName& head) { return !removable_among(transformer, {head}).empty(); });
  const Removable together = removable_of(transformer, spare);
  return one_by_one ? together : std::min(together, Removable::some);
}

}  // namespace

std::vector<std::string> conclusions(const HeadFindings& found) {
  Lines lines = role_lines(found.heads);
  add_relation_lines(lines, found.heads);
  if (const auto pair = most_alike(found.heads)) {
    const auto& [head, nearest] = *pair;
    lines.push_back(fmt::format("most alike: {} and {}, divergence {:.2f} nats (0: same weights)",
                                head.text(), head_at(nearest.site, nearest.head).text(),
                                nearest.distance));
  }
  if (!found.gates.empty()) {
    lines.push_back(fmt::format("{} of {} heads with gates are closed",
                                closed_heads(found.gates).size(), found.gates.size()));
  }
  if (found.importance && !found.importance->heads.empty()) {
    const Importance& all = *found.importance;
    const auto most = std::ranges::max_element(all.heads, {}, &HeadImportance::loss_without);
    lines.push_back(fmt::format("most needed: {}, loss {:.4f} without it, {:.4f} with all heads",
                                most->head.text(), most->loss_without, all.loss));
    lines.push_back(fmt::format(
        "{} of {} heads can be removed one at a time with the loss growing by at most {} nats",
        spare_heads(all), all.heads.size(), spare_loss));
  }
  if (found.pruning && !found.pruning->steps.empty()) {
    const PruningCurve& curve = *found.pruning;
    lines.push_back(fmt::format(
        "{} of {} heads can be removed together with the loss growing by at most {} nats",
        curve.steps_within(spare_loss), curve.steps.size(), spare_loss));
  }
  return lines;
}

std::optional<NextLook> next_look(const Transformer& transformer, const HeadFindings& found) {
  using enum NextStep;
  const Removable closed = removable_of(transformer, closed_heads(found.gates));
  if (closed != Removable::none) {
    return NextLook{closed_heads_gone, closed == Removable::all
                                           ? "a smaller run without the closed heads"
                                           : "a smaller run without the closed heads that can be "
                                             "removed"};
  }
  if (found.pruning) {
    const Removable spare = spare_of(transformer, *found.pruning);
    if (spare == Removable::none) {
      return std::nullopt;
    }
    return NextLook{spare_heads_gone,
                    spare == Removable::all
                        ? "a smaller run without those heads"
                        : "a smaller run, with as many heads removed as that loss allows"};
  }
  if (found.importance) {
    return spare_heads(*found.importance) < 2
               ? std::nullopt
               : std::optional(NextLook{pruning, "how many of them can be removed together?"});
  }
  const auto pair = most_alike(found.heads);
  return NextLook{importance, pair && pair->second.distance <= alike
                                  ? "does the model need both of the most alike heads?"
                                  : "which heads does the model need?"};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
