#include "train/metrics/label_metrics.hpp"

#include "train/metrics/confusion.hpp"

namespace tapehead {

namespace {

constexpr std::size_t class_columns = 3;

}  // namespace

std::vector<double> accuracy_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& /*options*/) {
  std::vector<double> rows;
  rows.reserve(2 * examples.size());
  for (const ExampleScore& example : examples) {
    rows.insert(rows.end(), {example.output == example.reference ? 1.0 : 0.0, 1.0});
  }
  return rows;
}

std::vector<double> macro_f1_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& /*options*/) {
  const std::vector<std::string> classes = classes_of(examples);
  const std::size_t columns = class_columns * classes.size();
  std::vector<double> rows(columns * examples.size(), 0.0);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::span row = std::span(rows).subspan(columns * i, columns);
    const std::size_t output = class_index(classes, examples[i].output);
    const std::size_t reference = class_index(classes, examples[i].reference);
    row[class_columns * output] = output == reference ? 1.0 : 0.0;
    row[class_columns * output + 1] = 1.0;
    row[class_columns * reference + 2] = 1.0;
  }
  return rows;
}

double macro_f1_of(std::span<const double> sums) {
  double sum = 0;
  double classes = 0;
  for (std::size_t k = 0; k < sums.size(); k += class_columns) {
    const double occurrences = sums[k + 1] + sums[k + 2];
    if (occurrences > 0) {
      sum += 2 * sums[k] / occurrences;
      ++classes;
    }
  }
  return classes > 0 ? sum / classes : 0;
}

}  // namespace tapehead
