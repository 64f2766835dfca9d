// How far heads agree with the relations of a task, and texts about it.
#include "lab/heads/attention_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

RelationSums& sums_named(std::vector<RelationSums>& all, std::string_view name, std::size_t heads) {
  auto found = std::ranges::find(all, name, &RelationSums::name);
  if (found == all.end()) {
    found = all.insert(found, RelationSums{.name = std::string(name)});
  }
  found->agreeing.resize(std::max(found->agreeing.size(), heads));
  found->random.resize(found->agreeing.size());
  return *found;
}

// Adds one query with all keys that count as correct for it.
void add_query(RelationSums& sums, const AttendedSequence& sequence,
               std::span<const PositionPair> pairs, const WeightsByHead& weights) {
  const Index query = pairs.front().query;
  const auto linked = mapped(pairs, &PositionPair::key);
  const std::set<Index> related(linked.begin(), linked.end());
  sums.queries += 1;
  for (const Index key : related) {
    sums.at_offset[key - query] += 1;
  }
  const std::size_t columns = sequence.keys.size();
  const auto is_related = [&](Index key) { return related.contains(key); };
  for (std::size_t head = 0; head < weights.size(); ++head) {
    const auto row =
        std::span(weights[head]).subspan(static_cast<std::size_t>(query) * columns, columns);
    sums.agreeing[head] += is_related(std::ranges::max_element(row) - row.begin()) ? 1 : 0;
    const std::vector<Index> keys = sequence.keys_for(head, query);
    if (!keys.empty()) {
      sums.random[head] += static_cast<double>(std::ranges::count_if(keys, is_related)) /
                           static_cast<double>(keys.size());
    }
  }
}

}  // namespace

void add_relations(std::vector<RelationSums>& sums, const AttendedSequence& sequence,
                   const WeightsByHead& weights) {
  for (const Relation& relation : sequence.relations) {
    if (relation.side != sequence.side() || relation.pairs.empty()) {
      continue;
    }
    RelationSums& of_relation = sums_named(sums, relation.name, weights.size());
    std::span<const PositionPair> rest = relation.pairs;
    while (!rest.empty()) {
      const Index query = rest.front().query;
      const auto next = std::ranges::find_if(
          rest, [query](const PositionPair& pair) { return pair.query != query; });
      const auto count = static_cast<std::size_t>(next - rest.begin());
      add_query(of_relation, sequence, rest.first(count), weights);
      rest = rest.subspan(count);
    }
  }
}

void add_relations(std::vector<RelationSums>& to, const std::vector<RelationSums>& from) {
  for (const RelationSums& relation : from) {
    RelationSums& sums = sums_named(to, relation.name, relation.agreeing.size());
    sums.queries += relation.queries;
    for (const auto& [offset, queries] : relation.at_offset) {
      sums.at_offset[offset] += queries;
    }
    for (std::size_t head = 0; head < relation.agreeing.size(); ++head) {
      sums.agreeing[head] += relation.agreeing[head];
      sums.random[head] += relation.random[head];
    }
  }
}

RelationFigures figures_of(const RelationSums& sums) {
  const double queries = std::max(1.0, sums.queries);
  RelationFigures figures{.name = sums.name, .queries = sums.queries};
  for (const auto& [offset, at_offset] : sums.at_offset) {
    if (at_offset / queries > figures.offset_share) {
      figures.offset = offset;
      figures.offset_share = at_offset / queries;
    }
  }
  for (std::size_t head = 0; head < sums.agreeing.size(); ++head) {
    figures.agreement.push_back(sums.random[head] > 0 ? std::optional(sums.agreeing[head] / queries)
                                                      : std::nullopt);
    figures.random.push_back(sums.random[head] / queries);
  }
  return figures;
}

std::optional<std::size_t> closest_relation(const std::vector<RelationFigures>& all,
                                            std::size_t head) {
  std::optional<std::size_t> closest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool known = all[i].agreement[head] > all[i].random[head];
    if (known && (!closest || all[i].over_offset(head) > all[*closest].over_offset(head))) {
      closest = i;
    }
  }
  return closest;
}

std::vector<BestHead> best_heads(const AttentionReports& attentions) {
  std::vector<BestHead> best;
  for (const AttentionReport& attention : attentions) {
    for (const RelationFigures& relation : attention.relations) {
      const auto largest = std::ranges::max_element(relation.agreement);
      if (largest == relation.agreement.end()) {
        continue;
      }
      const BestHead here{.site = attention.site,
                          .head = static_cast<std::size_t>(largest - relation.agreement.begin()),
                          .relation = relation};
      const auto known = std::ranges::find_if(best, [&](const BestHead& other) {
        return other.site.kind == here.site.kind && other.relation.name == relation.name;
      });
      if (known == best.end()) {
        best.push_back(here);
      } else if (here.agreement() > known->agreement()) {
        *known = here;
      }
    }
  }
  return best;
}

std::string relation_text(const AttentionReport& attention, std::size_t head) {
  const auto closest = closest_relation(attention.relations, head);
  if (!closest) {
    return "";
  }
  const RelationFigures& relation = attention.relations[*closest];
  return fmt::format("{} {}, best fixed offset {}", relation.name,
                     format_share(*relation.agreement[head]), format_share(relation.offset_share));
}

std::vector<FigureRow<BestHead>> relation_rows() {
  static constexpr std::array kinds{"encoder self", "decoder self", "decoder cross"};
  // Without any agreement there is no best head.
  const auto of_best = [](auto part) {
    return [part](const BestHead& best) -> Json { return best.agreement() > 0 ? part(best) : ""; };
  };
  return {
      {"", "relation", "which positions are related",
       [](const BestHead& best) { return best.relation.name; }, as_words},
      {"", "of", "the kind of attention",
       [](const BestHead& best) { return kinds[static_cast<std::size_t>(best.site.kind)]; },
       as_words},
      {"", "queries", "how many queries have a related key",
       [](const BestHead& best) { return best.relation.queries; }, "{:.0f}"},
      {"", "random",
       "percent of queries in which a random key, among the keys that the best head may attend to, "
       "is related",
       of_best([](const BestHead& best) { return format_share(best.random()); })},
      {"", "best fixed offset", "the fixed offset that is right most often, and in what percent",
       [](const BestHead& best) {
         return fmt::format("{:+d}: {}", best.relation.offset,
                            format_share(best.relation.offset_share));
       }},
      {"", "best head", "the head whose largest weight is on a related key most often",
       of_best([](const BestHead& best) { return best.site.text(); }), as_words},
      {"", "", "", of_best([](const BestHead& best) { return std::to_string(best.head); })},
      {"", "agrees", "percent of queries whose largest weight is on a related key",
       [](const BestHead& best) {
         return best.agreement() ? format_share(*best.agreement()) : "";
       }}};
}

std::string relations_table(const AttentionReports& attentions) {
  const std::vector<BestHead> best = best_heads(attentions);
  return best.empty() ? "" : table_of(relation_rows(), best);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
