#include "train/metrics/ngram_metrics.hpp"

#include <cmath>

#include "train/metrics/bleu.hpp"
#include "train/metrics/chrf.hpp"
#include "train/metrics/evaluation_options.hpp"

namespace tapehead {

namespace {

constexpr std::size_t parts = 3;  // counts for each order

BleuOptions bleu_options(const EvaluationOptions& options) {
  return {.tokenizer = options.bleu_tokenizer, .lowercase = options.lowercase};
}

ChrfOptions chrf_options(const EvaluationOptions& options) {
  return {.lowercase = options.lowercase};
}

struct Texts {
  explicit Texts(ExampleScores examples) {
    for (const ExampleScore& example : examples) {
      outputs.push_back(example.output);
      references.push_back(example.reference);
    }
  }
  std::vector<std::string> outputs;
  std::vector<std::string> references;
};

template <class Counts>
std::vector<double> rows_of(const std::vector<Counts>& of_examples) {
  std::vector<double> rows;
  for (const Counts& orders : of_examples) {
    for (const NgramCounts& counts : orders) {
      rows.push_back(static_cast<double>(counts.hypothesis));
      rows.push_back(static_cast<double>(counts.reference));
      rows.push_back(static_cast<double>(counts.matches));
    }
  }
  return rows;
}

void read_back(std::span<const double> sums, std::span<NgramCounts> orders) {
  for (std::size_t n = 0; n < orders.size(); ++n) {
    orders[n] = {.hypothesis = std::llround(sums[parts * n]),
                 .reference = std::llround(sums[parts * n + 1]),
                 .matches = std::llround(sums[parts * n + 2])};
  }
}

}  // namespace

std::vector<double> bleu_summands(ExampleScores examples, const EvaluationOptions& options) {
  const Texts texts(examples);
  return rows_of(bleu_counts(texts.outputs, texts.references, bleu_options(options)));
}

std::vector<double> chrf_summands(ExampleScores examples, const EvaluationOptions& options) {
  const Texts texts(examples);
  return rows_of(chrf_counts(texts.outputs, texts.references, chrf_options(options)));
}

double bleu_of_sums(std::span<const double> sums) {
  BleuCounts counts;
  read_back(sums, counts);
  return bleu_of(counts).score;
}

double chrf_of_sums(std::span<const double> sums) {
  ChrfCounts counts(sums.size() / parts);
  read_back(sums, counts);
  return chrf_of(counts).score;
}

std::string bleu_signature(const EvaluationOptions& options) {
  return bleu_of({}, bleu_options(options)).signature;
}

std::string chrf_signature(const EvaluationOptions& options) {
  return corpus_chrf({}, {}, chrf_options(options)).signature;
}

}  // namespace tapehead
