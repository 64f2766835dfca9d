#include "datasets/text/text_options.hpp"

#include <fmt/format.h>

namespace tapehead {

std::optional<Violation> text_is_given(const TaskOptions& task) {
  if (!task.as<TextOptions>().train_text.empty()) {
    return {};
  }
  return Violation{{"task.train_text", "task.name"}, "text needs a file to train on"};
}

std::optional<Violation> shares_leave_text(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  const bool shared = options.validation_text.empty();
  if (shared && options.validation_share == 0) {
    return Violation{{"task.validation_share", "task.validation_text"},
                     "text needs a validation split: a share of the training text, or a file"};
  }
  const double held_out = (shared ? options.validation_share : 0) + options.test_share;
  if (held_out < 1) {
    return {};
  }
  return Violation{
      {"task.validation_share", "task.test_share"},
      fmt::format("nothing is left to train on (the shares of validation and test are {})",
                  held_out)};
}

std::optional<Violation> separator_separates(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  if (options.documents != DocumentEnd::separator || !options.separator.empty()) {
    return {};
  }
  return Violation{{"task.separator", "task.documents"},
                   "documents: separator needs the line that separates documents"};
}

}  // namespace tapehead
