#include "lab/heads/relation_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/heads/attention_sums.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void add_best_of(std::vector<BestHead>& best, const AttentionReport& attention,
                 const RelationFigures& relation) {
  const auto largest = std::ranges::max_element(relation.agreement);
  if (largest == relation.agreement.end()) {
    return;
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

}  // namespace

std::vector<BestHead> best_heads(const std::vector<AttentionReport>& attentions) {
  std::vector<BestHead> best;
  for (const AttentionReport& attention : attentions) {
    for (const RelationFigures& relation : attention.relations) {
      add_best_of(best, attention, relation);
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

std::string relations_table(const std::vector<AttentionReport>& attentions) {
  const std::vector<BestHead> best = best_heads(attentions);
  if (best.empty()) {
    return "";
  }
  Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::left,
               Align::right, Align::right});
  table.row(
      {"relation", "of", "queries", "random", "best fixed offset", "best head", "", "agrees"});
  table.rule();
  for (const BestHead& one : best) {
    const RelationFigures& relation = one.relation;
    const bool any = one.agreement() > 0;  // else no head is the best
    table.row({relation.name, std::string(words_of(one.site.kind)),
               fmt::format("{:.0f}", relation.queries), any ? format_share(one.random()) : "",
               fmt::format("{:+d}: {}", relation.offset, format_share(relation.offset_share)),
               any ? one.site.text() : "", any ? std::to_string(one.head) : "",
               one.agreement() ? format_share(*one.agreement()) : ""});
  }
  return table.text();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
