// Sentences for a page: their tokens, what the model writes, and the weights of every head on them.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

constexpr Index shown_tokens = 48;        // of a side of a sentence; weights beyond are left out
constexpr Index shown_weights = 600'000;  // of all sentences: they make the page's size

// The examples of a split by their numbers, as many of the first of them as `shown_weights` allows,
// but at least one. For each
//
// {"number": 1, "source": "...", "output": "...", "right": true, "reference": "...",
//  "source_tokens": [...], "target_tokens": [...], "said_tokens": [...],
//  "source_length": 12, "target_length": 12,
//  "attentions": [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source",
//                  "heads": [[[weights of query 0, in thousandths], ...], ...]}, ...]}
//
// Target tokens are those that the decoder reads, the right ones behind the begin mark, as in
// training; said tokens are those that it should say where it has read them. Throws ConfigError for
// a number that the split does not have.
nlohmann::ordered_json report_sentences(const Model& model, const EvaluationOptions& options,
                                        const Task& task, const Split& split,
                                        const std::vector<Index>& examples, Workers& workers);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
