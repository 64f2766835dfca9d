#include "train/metrics/overlap_metrics.hpp"

#include "train/metrics/answers.hpp"
#include "train/metrics/rouge.hpp"

namespace tapehead {

namespace {

// The value of each example, and 1 for the example.
template <class Value>
std::vector<double> values_of(std::span<const ExampleScore> examples, const Value& value) {
  std::vector<double> rows;
  rows.reserve(2 * examples.size());
  for (const ExampleScore& example : examples) {
    rows.insert(rows.end(), {value(example.output, example.reference), 1.0});
  }
  return rows;
}

}  // namespace

std::vector<double> rouge_l_summands(std::span<const ExampleScore> examples,
                                     const EvaluationOptions& /*options*/) {
  return values_of(examples, rouge_l);
}

std::vector<double> token_f1_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& /*options*/) {
  return values_of(examples, token_f1);
}

std::vector<double> exact_match_summands(std::span<const ExampleScore> examples,
                                         const EvaluationOptions& /*options*/) {
  return values_of(examples, [](std::string_view output, std::string_view reference) {
    return exact_match(output, reference) ? 1.0 : 0.0;
  });
}

std::string rouge_signature_of(const EvaluationOptions& /*options*/) {
  return std::string(rouge_signature);
}

std::string answer_signature_of(const EvaluationOptions& /*options*/) {
  return std::string(answer_signature);
}

}  // namespace tapehead
