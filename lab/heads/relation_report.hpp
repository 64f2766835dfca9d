// Texts about heads and the relations that a task knows.
#pragma once

#include <string>

#include "lab/heads/attention_report.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// A head's closest relation, the share of queries in which the two agree, and by how much that
// exceeds the best fixed offset, in percent: "answer 93 (+40)". Empty if there is none.
std::string relation_text(const AttentionReport& attention, std::size_t head);

// For each relation the head that agrees with it most, among all attentions that it is about. Empty
// if the task knows no relations.
std::string relations_table(const std::vector<AttentionReport>& attentions);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
