#include "train/loop/patience.hpp"

#include <fmt/format.h>

namespace tapehead {

std::string gain_text(const Waiting& waiting, bool kept) {
  const Index without = waiting.without_gain();
  if (without == 0) {
    return "  (best so far)";
  }
  const std::string_view metric = kind_of(waiting.metric).words;
  std::string text;
  if (kept) {
    text = fmt::format("best so far by the loss alone, {} is as before", metric);
  }
  if (waiting.patience > 0) {
    text += fmt::format("{}evaluations without a better {}: {} of {}", kept ? "; " : "", metric,
                        without, waiting.patience);
  }
  return text.empty() ? "" : fmt::format("  ({})", text);
}

std::string patience_text(const Waiting& waiting) {
  const std::string_view metric = kind_of(waiting.metric).words;
  const std::string begin =
      fmt::format("training.patience: {} ends the training: ", waiting.patience);
  if (waiting.best_evaluation == 0) {
    return begin + fmt::format("none of {} evaluations had a {} that is a number",
                               waiting.evaluations, metric);
  }
  return begin + fmt::format("the best {} is {}, of evaluation {} of {}", metric,
                             metric_text(kind_of(waiting.metric), waiting.best_value),
                             waiting.best_evaluation, waiting.evaluations);
}

}  // namespace tapehead
