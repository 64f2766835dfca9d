#include "train/metrics/label_metrics.hpp"

#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

constexpr std::size_t label_columns = 3;

std::vector<std::string_view> only_label(const std::string& text) { return {text}; }

std::vector<std::string_view> labels_in(const std::string& text) {
  return units_of(text, Unit::word);
}

using LabelsOf = std::vector<std::string_view> (*)(const std::string& text);

// All labels of outputs and references, each once, in byte order.
std::vector<std::string_view> occurring_labels(ExampleScores examples, LabelsOf labels_of) {
  std::vector<std::string_view> all;
  for (const ExampleScore& example : examples) {
    std::ranges::copy(labels_of(example.output), std::back_inserter(all));
    std::ranges::copy(labels_of(example.reference), std::back_inserter(all));
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

std::size_t place_of(std::string_view label, const std::vector<std::string_view>& all) {
  return static_cast<std::size_t>(std::ranges::lower_bound(all, label) - all.begin());
}

// Three counts for each label: at the same place in both texts, in the output, in the reference.
std::vector<double> label_summands(ExampleScores examples, LabelsOf labels_of) {
  const std::vector<std::string_view> all = occurring_labels(examples, labels_of);
  const std::size_t columns = label_columns * all.size();
  std::vector<double> rows(columns * examples.size(), 0.0);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto count = [&](std::string_view label, std::size_t column) {
      rows[columns * i + label_columns * place_of(label, all) + column] += 1;
    };
    const auto outputs = labels_of(examples[i].output);
    const auto references = labels_of(examples[i].reference);
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

Json confusion_json(ExampleScores examples) {
  const std::vector<std::string_view> classes = occurring_labels(examples, only_label);
  std::vector<std::vector<Index>> counts(classes.size(), std::vector<Index>(classes.size(), 0));
  for (const ExampleScore& example : examples) {
    ++counts[place_of(example.reference, classes)][place_of(example.output, classes)];
  }
  return {{"classes", classes}, {"counts", counts}};
}

std::vector<double> class_summands(ExampleScores examples, const EvaluationOptions&) {
  return label_summands(examples, only_label);
}

std::vector<double> token_label_summands(ExampleScores examples, const EvaluationOptions&) {
  return label_summands(examples, labels_in);
}

std::vector<double> entity_summands(ExampleScores examples, const EvaluationOptions&) {
  std::vector<double> rows;
  rows.reserve(label_columns * examples.size());
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

double macro_f1_of(std::span<const double> sums) {
  double sum = 0;
  double classes = 0;
  for (std::size_t k = 0; k < sums.size(); k += label_columns) {
    if (sums[k + 1] + sums[k + 2] > 0) {
      sum += f1_of(sums.subspan(k, label_columns));
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
  for (std::size_t k = 0; k < sums.size(); k += label_columns) {
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
