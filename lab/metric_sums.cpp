#include "lab/metric_sums.hpp"

#include <cmath>
#include <string>

#include "datasets/hash.hpp"
#include "train/metrics/bleu.hpp"
#include "train/metrics/chrf.hpp"

namespace tapehead {

namespace {

bool is_of_tokens(Metric metric) {
  return lower_is_better(metric) || metric == Metric::token_accuracy;
}

constexpr std::size_t parts = 3;  // of the counts of an order

void append(std::vector<double>& row, std::span<const NgramCounts> orders) {
  for (const NgramCounts& counts : orders) {
    row.push_back(static_cast<double>(counts.hypothesis));
    row.push_back(static_cast<double>(counts.reference));
    row.push_back(static_cast<double>(counts.matches));
  }
}

void read_back(std::span<const double> sums, std::span<NgramCounts> orders) {
  for (std::size_t n = 0; n < orders.size(); ++n) {
    orders[n] = {.hypothesis = std::llround(sums[parts * n]),
                 .reference = std::llround(sums[parts * n + 1]),
                 .matches = std::llround(sums[parts * n + 2])};
  }
}

// Of every example, one after the other, `columns` numbers.
std::vector<double> summands(Metric metric, const std::vector<ExampleScore>& examples,
                             const EvaluationOptions& options) {
  std::vector<double> rows;
  std::vector<std::string> outputs;
  std::vector<std::string> references;
  for (const ExampleScore& example : examples) {
    outputs.push_back(example.output);
    references.push_back(example.reference);
    if (lower_is_better(metric)) {
      rows.insert(rows.end(),
                  {example.negative_log_likelihood, static_cast<double>(example.tokens)});
    } else if (metric == Metric::token_accuracy) {
      rows.insert(rows.end(),
                  {static_cast<double>(example.correct), static_cast<double>(example.tokens)});
    } else if (metric == Metric::sequence_accuracy) {
      rows.insert(rows.end(), {example.right ? 1.0 : 0.0, 1.0});
    }
  }
  if (metric == Metric::bleu) {
    const BleuOptions bleu{.tokenizer = options.bleu_tokenizer, .lowercase = options.lowercase};
    for (const BleuCounts& counts : bleu_counts(outputs, references, bleu)) {
      append(rows, counts);
    }
  } else if (metric == Metric::chrf) {
    for (const ChrfCounts& counts :
         chrf_counts(outputs, references, {.lowercase = options.lowercase})) {
      append(rows, counts);
    }
  }
  return rows;
}

double value_of(Metric metric, std::span<const double> sums) {
  switch (metric) {
    case Metric::perplexity:
      return std::exp(sums[0] / sums[1]);
    case Metric::bleu: {
      BleuCounts counts;
      read_back(sums, counts);
      return bleu_of(counts).score;
    }
    case Metric::chrf: {
      ChrfCounts counts(sums.size() / parts);
      read_back(sums, counts);
      return chrf_of(counts).score;
    }
    default:
      return sums[0] / sums[1];
  }
}

std::uint64_t digest_of(Metric metric, const std::vector<ExampleScore>& examples) {
  Hash hash;
  for (const ExampleScore& example : examples) {
    hash.add(example.reference);
    hash.add(static_cast<std::uint64_t>(is_of_tokens(metric) ? example.tokens : 0));
  }
  return hash.value();
}

}  // namespace

MetricSums::MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
                       const EvaluationOptions& options)
    : metric_(metric),
      columns_(0),
      summands_(summands(metric, examples, options)),
      data_(digest_of(metric, examples)) {
  columns_ = summands_.size() / examples.size();
}

double MetricSums::value(std::span<const double> counts) const {
  std::vector<double> sums(columns_, 0.0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < columns_; ++k) {
      sums[k] += counts[i] * summands_[i * columns_ + k];
    }
  }
  return value_of(metric_, sums);
}

double MetricSums::value() const { return value(std::vector<double>(examples(), 1.0)); }

}  // namespace tapehead
