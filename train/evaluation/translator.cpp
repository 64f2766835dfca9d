#include "train/evaluation/translator.hpp"

#include <algorithm>
#include <utility>

#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<std::vector<Translation>> Translator::translate(std::span<const std::string> lines,
                                                            const EachLine& each) const {
  expect_used_with(runs_.first().config, runs_.first().directory.string(), Application::translate);
  const Tokenizers& tokenizers = runs_.first().tokenizers;
  Split split;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    Example example{.source = tokenizers.source->encode(lines[line]), .target = {}};
    if (each) {
      each(line, example.source);
    }
    example.source.resize(std::min(example.source.size(), static_cast<std::size_t>(most_tokens())));
    split.examples.push_back(std::move(example));
  }
  const SavedRun& first = runs_.first();
  const auto outputs =
      labels_in_one_pass(first.config)
          ? decode_examples(first.model.transformer, first.model.store, split, batch_tokens_,
                            options_, workers_)
          : decode_examples(runs_.members(), split, batch_tokens_, options_, workers_);
  std::vector<std::vector<Translation>> results(lines.size());
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (const Hypothesis& hypothesis : outputs[line]) {
      results[line].push_back({.text = tokenizers.target->decode(hypothesis.tokens),
                               .score = hypothesis.score,
                               .ended = hypothesis.ended});
    }
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
