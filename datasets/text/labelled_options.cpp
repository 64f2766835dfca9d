#include "datasets/text/labelled_options.hpp"

#include <fmt/format.h>

namespace tapehead {

namespace {

struct Given {
  std::string_view split;
  const std::string& tsv;
  const std::string& text;
  const std::string& labels;
};

std::optional<Violation> given_twice_or_half(const Given& files) {
  const auto option = [&](std::string_view of) {
    return fmt::format("task.{}_{}", files.split, of);
  };
  if (!files.tsv.empty() && !(files.text.empty() && files.labels.empty())) {
    return Violation{{option("tsv"), option("text"), option("labels")},
                     fmt::format("the {} examples are given twice, as a TSV and as two files; keep "
                                 "one",
                                 files.split)};
  }
  if (files.text.empty() == files.labels.empty()) {
    return {};
  }
  const bool no_text = files.text.empty();
  return Violation{{option(no_text ? "labels" : "text")},
                   fmt::format("given alone; the {} examples need {} too", files.split,
                               option(no_text ? "text" : "labels"))};
}

}  // namespace

std::optional<Violation> labelled_text_is_given(const TaskOptions& task) {
  const auto& options = task.as<LabelledTextOptions>();
  for (const Given& files :
       {Given{"train", options.train_tsv, options.train_text, options.train_labels},
        Given{"validation", options.validation_tsv, options.validation_text,
              options.validation_labels},
        Given{"test", options.test_tsv, options.test_text, options.test_labels}}) {
    if (auto violation = given_twice_or_half(files)) {
      return violation;
    }
  }
  if (!options.train_tsv.empty() || !options.train_text.empty()) {
    return header_without_tsv(options);
  }
  return Violation{{"task.train_tsv", "task.name"},
                   "labelled_text needs examples to train on: task.train_tsv, or task.train_text "
                   "and task.train_labels"};
}

}  // namespace tapehead
