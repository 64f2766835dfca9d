// Sentences for a page: their tokens, the model's outputs, and the weights of every head.
#pragma once

#include "core/files/json_text.hpp"
#include "datasets/task.hpp"
#include "lab/inspection/inspection.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Index shown_tokens = 48;        // of each side of a sentence; later weights are left out
constexpr Index shown_weights = 600'000;  // of all sentences; they determine the size of the page

// One sentence as below, without output and reference, with the first `shown` tokens of each side.
Json sentence_json(const InspectedSequence& sequence, const std::string& source,
                   std::optional<Index> number, Index shown);

// The user's texts, as sentences without a number. Throws what inspect_text() throws.
constexpr Index shown_text_tokens = 256;  // of each side
Json report_texts(const SavedRun& run, const std::vector<std::string>& texts, Workers& workers);

// The given examples of a split, as many of the first ones as `shown_weights` allows, but at least
// one. For each of them:
//
// {"number": 1, "source": "...", "output": "...", "right": true, "reference": "...",
//  "source_tokens": [...], "target_tokens": [...], "said_tokens": [...],
//  "source_length": 12, "target_length": 12,
//  "attentions": [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source",
//                  "heads": [[[weights of query 0, in thousandths], ...], ...]}, ...]}
//
// Target tokens are those that the decoder reads: the begin mark and the reference, as in training.
// Said tokens are those that it should predict after it has read them. Throws ConfigError for a
// number that the split does not have.
Json report_sentences(const Model& model, const EvaluationOptions& options, const Task& task,
                      const Split& split, const std::vector<Index>& examples, Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
