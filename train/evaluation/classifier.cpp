#include "train/evaluation/classifier.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/text/labelled_options.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Classifier::Classifier(const SavedRun& run, Workers& workers, Index batch_tokens)
    : run_(run), workers_(workers), batch_tokens_(batch_tokens), texts_(1), max_length_(1) {
  expect_used_with(run.config, run.directory.string(), Application::classify);
  const auto& options = run.config.task.as<LabelledTextOptions>();
  texts_ = options.texts;
  max_length_ = options.max_length;
}

ClassifiedText Classifier::read(const std::string& line) const {
  const Index found = 1 + std::ranges::count(line, '\t');
  if (found != texts_) {
    throw DataError(fmt::format("{} text{} with tabs between them, where the model reads {}", found,
                                found == 1 ? "" : "s", texts_));
  }
  return classified_text(*run_.tokenizers.source, line, texts_, max_length_);
}

std::vector<std::vector<LikelyClass>> Classifier::classify(std::span<const ClassifiedText> lines,
                                                           Index top) const {
  const auto source =
      class_source({lines.begin(), lines.end()}, layout_of(run_.model.transformer.options()));
  std::vector<std::vector<LikelyClass>> results;
  for (const auto& rows :
       label_examples({.transformer = run_.model.transformer, .store = run_.model.store}, *source,
                      batch_tokens_, top, workers_)) {
    std::vector<LikelyClass>& classes = results.emplace_back();
    for (const LikelyLabel& one : rows.front()) {
      classes.push_back(
          {.label = run_.tokenizers.target->entry(one.label), .probability = one.probability});
    }
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
