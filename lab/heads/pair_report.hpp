// How far the heads of a model are apart, in each layer and between layers.
#pragma once

#include <string>
#include <vector>

#include "lab/heads/attention_report.hpp"
#include "lab/heads/attention_sums.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Enters an attention's divergences from earlier ones into the reports of both. Each report is of
// the attention of its site.
void compare_with_earlier(std::vector<AttentionReport>& reports, const AttentionSums& attention);

// Finds every head's `nearest`: none for one that has its queries and keys alone.
void find_nearest(std::vector<AttentionReport>& reports);

std::string pairs_table(const std::vector<AttentionReport>& attentions);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
