// Heads and the relations that a task knows, in words.
#pragma once

#include <string>

#include "lab/heads/attention_report.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// A head's closest relation, with the share of queries in which the two agree and by how much that
// exceeds the best fixed offset, in percent: "answer 93 (+40)". Empty where there is none.
std::string relation_text(const AttentionReport& attention, std::size_t head);

// For each relation the head that agrees with it most, of all attentions that it is about. Empty
// where the task knows of no relations.
std::string relations_table(const std::vector<AttentionReport>& attentions);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
