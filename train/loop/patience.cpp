#include "train/loop/patience.hpp"

#include <fmt/format.h>

namespace tapehead {

std::string gain_text(const Waiting& waiting, KeptWeights kept) {
  const Index without = waiting.without_gain();
  if (kept == KeptWeights::best || without == 0) {
    return "  (best so far)";
  }
  const std::string_view metric = kind_of(waiting.metric).words;
  std::string text;
  if (kept == KeptWeights::lower_loss) {
    text = fmt::format("best so far by the loss alone, {} is as before", metric);
  } else if (kept == KeptWeights::since_resume) {
    text = fmt::format("best since a resume; the best {} before it was {}", metric,
                       metric_text(kind_of(waiting.metric), waiting.best_value));
  }
  if (waiting.patience > 0) {
    text += fmt::format("{}evaluations without a better {}: {} of {}", text.empty() ? "" : "; ",
                        metric, without, waiting.patience);
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
