#include "train/metrics/label_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

std::vector<std::string> classes_of(std::span<const ExampleScore> examples) {
  std::vector<std::string> classes;
  classes.reserve(2 * examples.size());
  for (const ExampleScore& example : examples) {
    classes.push_back(example.reference);
    classes.push_back(example.output);
  }
  std::ranges::sort(classes);
  const auto repeated = std::ranges::unique(classes);
  classes.erase(repeated.begin(), repeated.end());
  return classes;
}

std::size_t class_index(const std::vector<std::string>& classes, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::lower_bound(classes, name) - classes.begin());
}

Confusion confusion_of(std::span<const ExampleScore> examples) {
  Confusion confusion{.classes = classes_of(examples), .counts = {}};
  const std::size_t count = confusion.classes.size();
  confusion.counts.assign(count * count, 0);
  for (const ExampleScore& example : examples) {
    const std::size_t right = class_index(confusion.classes, example.reference);
    ++confusion.counts[right * count + class_index(confusion.classes, example.output)];
  }
  return confusion;
}

nlohmann::ordered_json confusion_json(const Confusion& confusion) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::size_t count = confusion.classes.size();
  for (std::size_t right = 0; right < count; ++right) {
    rows.push_back(std::span(confusion.counts).subspan(right * count, count));
  }
  return {{"classes", confusion.classes}, {"counts", std::move(rows)}};
}

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

std::vector<double> class_summands(std::span<const ExampleScore> examples,
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

double matthews_of(std::span<const double> sums) {
  double right = 0;
  double examples = 0;
  double products = 0;
  double predicted = 0;
  double references = 0;
  for (std::size_t k = 0; k < sums.size(); k += class_columns) {
    right += sums[k];
    examples += sums[k + 1];
    products += sums[k + 1] * sums[k + 2];
    predicted += sums[k + 1] * sums[k + 1];
    references += sums[k + 2] * sums[k + 2];
  }
  const double square = examples * examples;
  const double variances = (square - predicted) * (square - references);
  return variances > 0 ? (examples * right - products) / std::sqrt(variances) : 0;
}

}  // namespace tapehead
