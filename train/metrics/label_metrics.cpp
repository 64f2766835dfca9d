#include "train/metrics/label_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <string_view>

#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

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

namespace {

std::vector<std::string_view> labels_in(const std::string& text) {
  return units_of(text, Unit::word);
}

struct Entity {
  std::size_t begin;
  std::size_t end;
  std::string_view type;  // "-PER"; empty if it has none

  auto operator<=>(const Entity&) const = default;
};

bool has_prefix(std::string_view label, char prefix) {
  return label.starts_with(prefix) && (label.size() == 1 || label[1] == '-');
}

std::vector<Entity> entities_of(const std::vector<std::string_view>& labels) {
  std::vector<Entity> entities;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (has_prefix(labels[i], 'B')) {
      entities.push_back({.begin = i, .end = i + 1, .type = labels[i].substr(1)});
    } else if (!entities.empty() && entities.back().end == i && has_prefix(labels[i], 'I') &&
               labels[i].substr(1) == entities.back().type) {
      ++entities.back().end;
    }
  }
  return entities;
}

}  // namespace

std::vector<double> token_label_summands(std::span<const ExampleScore> examples,
                                         const EvaluationOptions& /*options*/) {
  std::vector<std::string_view> all;
  for (const ExampleScore& example : examples) {
    std::ranges::copy(labels_in(example.output), std::back_inserter(all));
    std::ranges::copy(labels_in(example.reference), std::back_inserter(all));
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  const std::size_t columns = class_columns * all.size();
  std::vector<double> rows(columns * examples.size(), 0.0);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto count = [&](std::string_view label, std::size_t column) {
      const auto place =
          static_cast<std::size_t>(std::ranges::lower_bound(all, label) - all.begin());
      rows[columns * i + class_columns * place + column] += 1;
    };
    const auto outputs = labels_in(examples[i].output);
    const auto references = labels_in(examples[i].reference);
    for (std::size_t token = 0; token < outputs.size(); ++token) {
      count(outputs[token], 1);
      if (token < references.size() && outputs[token] == references[token]) {
        count(outputs[token], 0);
      }
    }
    for (const std::string_view label : references) {
      count(label, 2);
    }
  }
  return rows;
}

std::vector<double> entity_summands(std::span<const ExampleScore> examples,
                                    const EvaluationOptions& /*options*/) {
  std::vector<double> rows;
  rows.reserve(class_columns * examples.size());
  for (const ExampleScore& example : examples) {
    const std::vector<Entity> outputs = entities_of(labels_in(example.output));
    const std::vector<Entity> references = entities_of(labels_in(example.reference));
    std::vector<Entity> both;
    std::ranges::set_intersection(outputs, references, std::back_inserter(both));
    for (const std::size_t entities : {both.size(), outputs.size(), references.size()}) {
      rows.push_back(static_cast<double>(entities));
    }
  }
  return rows;
}

double f1_of(std::span<const double> sums) {
  return sums[0] > 0 ? 2 * sums[0] / (sums[1] + sums[2]) : 0;
}

std::string entity_signature(const EvaluationOptions& /*options*/) {
  return "scheme:IOB2|mode:strict|seqeval:1.2.2";
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
