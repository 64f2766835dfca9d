// What a metric is: how it comes from sums over the examples of a test, what it is called, and how
// it is written. A new one is a module that defines a MetricKind, and a row in metrics.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

struct EvaluationOptions;

// How a model did on an example, or, but for the texts, on several together.
struct ExampleScore {
  double negative_log_likelihood = 0;  // of the target's tokens, in nats
  Index tokens = 0;                    // of the target, the end mark included
  Index correct = 0;                   // of them, with the right ones before each
  std::string output;                  // as written out
  std::string reference;
  bool right = false;  // exactly, as right_sequences() has it
};

struct MetricKind {
  std::string_view name;     // in configs and JSON: "bleu"
  std::string_view words;    // in text: "BLEU"
  std::string_view heading;  // of a column
  bool percent = false;      // a share, which is written in per cent
  int decimals = 2;
  bool lower_is_better = false;
  bool of_outputs = false;  // of what a model writes out by itself
  // Of every example, one after the other, equally many numbers, to be added up over the examples.
  std::vector<double> (*summands)(std::span<const ExampleScore>, const EvaluationOptions&);
  double (*value)(std::span<const double> sums);
  // What tells how texts were compared; null: there is nothing to tell.
  std::string (*signature)(const EvaluationOptions&) = nullptr;
};

// "99.80 %", "38.42": without a sign of the metric's name.
std::string metric_text(const MetricKind& kind, double value);

// The metric of all the examples together; 0 where there are none.
double measure(const MetricKind& kind, std::span<const ExampleScore> examples,
               const EvaluationOptions& options);

}  // namespace tapehead
