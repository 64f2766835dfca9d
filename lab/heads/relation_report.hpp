// Texts about heads and the relations that a task knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/figure_table.hpp"
#include "lab/heads/attention_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The head that agrees most with a relation, of all attentions that the relation is about.
struct BestHead {
  AttentionSite site;
  std::size_t head = 0;
  RelationFigures relation;  // of the head's attention

  // Absent if no head may attend to a related key.
  std::optional<double> agreement() const { return relation.agreement[head]; }
  double random() const { return relation.random[head]; }
};

// One for each relation and kind of attention.
std::vector<BestHead> best_heads(const std::vector<AttentionReport>& attentions);

// A head's closest relation, with the share of queries in which the two agree, and in which the
// best fixed offset would: "answer 93 %, best fixed offset 53 %". Empty where there is none.
std::string relation_text(const AttentionReport& attention, std::size_t head);

// What is said of a best head, and the table of them. Empty where the task knows of no relations.
std::vector<FigureRow<BestHead>> relation_rows();
std::string relations_table(const std::vector<AttentionReport>& attentions);

}}  // namespace tapehead::TAPEHEAD_PRECISION
