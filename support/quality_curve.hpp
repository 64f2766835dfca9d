// The curve of a run's quality over its time, from the files that the run left.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace tapehead {

// The validation lines of metrics.jsonl, each with the minutes of training before it. The steps
// have no times of their own: the run's seconds, evaluations apart, are spread over its steps by
// their target tokens.
std::vector<nlohmann::ordered_json> quality_curve(std::string_view metrics, double seconds);

}  // namespace tapehead
