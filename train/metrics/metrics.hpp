// The list of all metrics.
#pragma once

#include "core/fields.hpp"
#include "train/metrics/label_metrics.hpp"
#include "train/metrics/overlap_metrics.hpp"

namespace tapehead {

// Add a new metric at the end: checkpoints from before 0.2.0 store the number of a metric.
enum class Metric {
  loss,
  perplexity,
  token_accuracy,
  sequence_accuracy,
  bleu,
  chrf,
  rouge_l,
  token_f1,
  exact_match,
  bits_per_byte,
  word_perplexity,
  accuracy,
  macro_f1,
  mcc,
  label_f1,
  entity_f1
};
inline constexpr std::array metric_kinds{
    &loss_metric,        &perplexity_metric,    &token_accuracy_metric,  &sequence_accuracy_metric,
    &bleu_metric,        &chrf_metric,          &rouge_l_metric,         &token_f1_metric,
    &exact_match_metric, &bits_per_byte_metric, &word_perplexity_metric, &accuracy_metric,
    &macro_f1_metric,    &mcc_metric,           &label_f1_metric,        &entity_f1_metric};

inline constexpr auto metric_count = metric_kinds.size();

constexpr const MetricKind& kind_of(Metric metric) {
  return *metric_kinds[static_cast<std::size_t>(metric)];
}

constexpr ValueNames<metric_count> value_names(Metric) {
  ValueNames<metric_count> names;
  std::ranges::transform(metric_kinds, names.begin(), &MetricKind::name);
  return names;
}

}  // namespace tapehead
