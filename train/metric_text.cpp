#include "train/metric_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {

std::string metric_words(Metric metric) {
  if (metric == Metric::bleu) {
    return "BLEU";
  }
  if (metric == Metric::chrf) {
    return "chrF";
  }
  std::string words(EnumNames<Metric>::names[static_cast<std::size_t>(metric)]);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string metric_text(Metric metric, double value) {
  switch (metric) {
    case Metric::token_accuracy:
    case Metric::sequence_accuracy:
      return fmt::format("{:.2f} %", 100 * value);
    case Metric::bleu:
    case Metric::chrf:
      return fmt::format("{:.2f}", value);
    default:
      return fmt::format("{:.4f}", value);
  }
}

}  // namespace tapehead
