#include "train/evaluation/translator.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "datasets/pairs.hpp"
#include "train/options/layout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<std::vector<Translation>> Translator::translate(
    std::span<const std::string> lines) const {
  std::vector<std::vector<TokenId>> tokens;
  for (const std::string& line : lines) {
    tokens.push_back(runs_.first().tokenizers.source->encode(line));
  }
  return translate(std::move(tokens));
}

std::vector<std::vector<Translation>> Translator::translate(
    std::vector<std::vector<TokenId>> lines) const {
  const auto pairs = std::make_shared<Examples>();
  for (std::vector<TokenId>& line : lines) {
    line.resize(std::min(line.size(), static_cast<std::size_t>(most_tokens())));
    pairs->push_back({.source = std::move(line), .target = {}});
  }
  std::vector<std::shared_ptr<const Source>> sources;
  std::vector<ModelAndSource> models;
  for (const EnsembleMember& member : runs_.members()) {
    sources.push_back(pair_source(pairs, layout_of(member.transformer.options())));
    models.push_back({.model = member, .source = *sources.back()});
  }
  const auto outputs = decode_examples(models, batch_tokens_, options_, workers_);
  std::vector<std::vector<Translation>> results(lines.size());
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (const Hypothesis& hypothesis : outputs[line]) {
      results[line].push_back({.text = runs_.first().tokenizers.target->decode(hypothesis.tokens),
                               .score = hypothesis.score,
                               .ended = hypothesis.ended});
    }
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
