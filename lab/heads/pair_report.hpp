// The distances between the heads of a model, within each layer and between layers.
#pragma once

#include <string>
#include <vector>

#include "lab/heads/attention_report.hpp"
#include "lab/heads/attention_sums.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Writes an attention's divergences from earlier ones into the reports of both. Each report belongs
// to the attention of its site.
void compare_with_earlier(std::vector<AttentionReport>& reports, const AttentionSums& attention);

// Finds every head's `nearest`. A head has none if no other head has the same queries and keys.
void find_nearest(std::vector<AttentionReport>& reports);

std::string pairs_table(const std::vector<AttentionReport>& attentions);

}}  // namespace tapehead::TAPEHEAD_PRECISION
