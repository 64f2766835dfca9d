#include "lab/heads/relation_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/heads/attention_sums.hpp"
#include "train/output/table.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

std::string percent(double share) { return fmt::format("{:.0f}", 100 * share); }

struct BestHead {
  AttentionKind kind;
  RelationFigures relation;
  AttentionSite site;
  std::size_t head;
  double agreement;
};

void add_best_of(std::vector<BestHead>& best, const AttentionReport& attention,
                 const RelationFigures& relation) {
  const auto largest = std::ranges::max_element(relation.agreement);
  if (largest == relation.agreement.end()) {
    return;
  }
  const BestHead here{.kind = attention.site.kind,
                      .relation = relation,
                      .site = attention.site,
                      .head = static_cast<std::size_t>(largest - relation.agreement.begin()),
                      .agreement = *largest};
  const auto known = std::ranges::find_if(best, [&](const BestHead& other) {
    return other.kind == here.kind && other.relation.name == relation.name;
  });
  if (known == best.end()) {
    best.push_back(here);
  } else if (here.agreement > known->agreement) {
    *known = here;
  }
}

}  // namespace

std::string relation_text(const AttentionReport& attention, std::size_t head) {
  const auto closest = closest_relation(attention.relations, head);
  if (!closest) {
    return "";
  }
  const RelationFigures& relation = attention.relations[*closest];
  return fmt::format("{} {} ({:+.0f})", relation.name, percent(relation.agreement[head]),
                     100 * relation.over_offset(head));
}

std::string relations_table(const std::vector<AttentionReport>& attentions) {
  std::vector<BestHead> best;
  for (const AttentionReport& attention : attentions) {
    for (const RelationFigures& relation : attention.relations) {
      add_best_of(best, attention, relation);
    }
  }
  if (best.empty()) {
    return "";
  }
  Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::left,
               Align::right, Align::right, Align::right});
  table.row({"relation", "of", "queries", "random", "offset", "best head", "", "agrees", "more"});
  table.rule();
  for (const BestHead& one : best) {
    const RelationFigures& relation = one.relation;
    table.row({relation.name, std::string(words_of(one.kind)),
               fmt::format("{:.0f}", relation.queries), percent(relation.random),
               fmt::format("{:+d}: {} %", relation.offset, percent(relation.offset_share)),
               one.site.text(), std::to_string(one.head), percent(one.agreement),
               fmt::format("{:+.0f}", 100 * relation.over_offset(one.head))});
  }
  return table.text();
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
