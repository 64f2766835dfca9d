#include "train/evaluation/mask_filler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "datasets/corpus/masking.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/evaluation/masked_line.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

MaskFiller::MaskFiller(const SavedRun& run, Workers& workers, std::string mask)
    : run_(run), workers_(workers), mask_(std::move(mask)) {
  expect_used_with(run.config, run.directory.string(), Application::fill);
  if (mask_.empty()) {
    throw ConfigError("a mask needs a text that stands for it in a line");
  }
}

std::vector<FilledMask> MaskFiller::fill_line(const std::string& line, Index top) const {
  const Tokenizer& tokenizer = *run_.tokenizers.source;
  const TokenId mask = mask_id(tokenizer);
  const MaskedLine read = masked_line(run_, line, mask_);
  std::vector<TokenId> tokens = read.tokens;
  const Batch batch = read.batch(mask);
  if (batch.labels.count() == 0) {
    throw DataError(fmt::format("there is no {} in the line", shown(mask_)));
  }
  const BestTokens best = best_labels(run_.model.transformer, run_.model.store, batch, top);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == mask) {
      tokens[i] = best.of(std::ssize(places)).front().token;
      places.push_back(i);
    }
  }
  std::vector<FilledMask> masks;
  for (std::size_t m = 0; m < places.size(); ++m) {
    FilledMask& candidates = masks.emplace_back();
    std::vector<TokenId> filled = tokens;
    for (const TokenLogit& one : best.of(static_cast<Index>(m))) {
      filled[places[m]] = one.token;
      candidates.push_back(
          {.token = tokenizer.entry(one.token),
           .probability = std::exp(static_cast<double>(one.logit) - best.log_sums[m]),
           .text = tokenizer.decode(filled)});
    }
  }
  return masks;
}

std::vector<std::vector<FilledMask>> MaskFiller::fill(const std::vector<std::string>& lines,
                                                      Index top) const {
  std::vector<std::vector<FilledMask>> results(lines.size());
  workers_.run(std::ssize(lines), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    results[k] = fill_line(lines[k], top);
  });
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
