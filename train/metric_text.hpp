// Metrics as a person reads them.
#pragma once

#include <string>

#include "train/options.hpp"

namespace tapehead {

// "sequence accuracy", "BLEU".
std::string metric_words(Metric metric);

// "99.80 %", "38.42", "1.2345": as the metric is usually written.
std::string metric_text(Metric metric, double value);

}  // namespace tapehead
