// Texts about heads and the relations that a task knows.
#include "lab/heads/attention_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::string_view words_of(AttentionKind kind) {
  constexpr std::array<std::string_view, 3> words{"encoder self", "decoder self", "decoder cross"};
  return words[static_cast<std::size_t>(kind)];
}

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

std::vector<FigureRow<BestHead>> relation_rows() {
  // Where no head agrees, none is the best.
  const auto of_best = [](auto part) {
    return [part](const BestHead& best) -> Json { return best.agreement() > 0 ? part(best) : ""; };
  };
  return {
      {"", "relation", "which positions have to do with each other",
       [](const BestHead& best) { return best.relation.name; }, as_words},
      {"", "of", "the kind of attention",
       [](const BestHead& best) { return words_of(best.site.kind); }, as_words},
      {"", "queries", "how many have a related key",
       [](const BestHead& best) { return best.relation.queries; }, "{:.0f}"},
      {"", "random",
       "percent in which a key drawn evenly, of those that the best head may attend to, is a "
       "related one",
       of_best([](const BestHead& best) { return format_share(best.random()); })},
      {"", "best fixed offset", "the fixed offset that is right most often, and in what percent",
       [](const BestHead& best) {
         return fmt::format("{:+d}: {}", best.relation.offset,
                            format_share(best.relation.offset_share));
       }},
      {"", "best head", "the head whose largest weight is on a related key most often",
       of_best([](const BestHead& best) { return best.site.text(); }), as_words},
      {"", "", "", of_best([](const BestHead& best) { return std::to_string(best.head); })},
      {"", "agrees", "the percent of the queries in which it is", [](const BestHead& best) {
         return best.agreement() ? format_share(*best.agreement()) : "";
       }}};
}

std::string relations_table(const std::vector<AttentionReport>& attentions) {
  const std::vector<BestHead> best = best_heads(attentions);
  return best.empty() ? "" : table_of(relation_rows(), best);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
