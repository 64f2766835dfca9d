#include "train/evaluation/mask_filler.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

MaskFiller::MaskFiller(const SavedRun& run, Workers& workers, std::string mask, Index batch_tokens)
    : run_(run), workers_(workers), mask_(std::move(mask)), batch_tokens_(batch_tokens) {
  expect_used_with(run.config, run.directory.string(), Application::fill);
  if (mask_.empty()) {
    throw ConfigError("a mask needs a text that stands for it in a line");
  }
}

MaskedLine MaskFiller::read(std::string_view line) const {
  MaskedLine read = masked_line(run_, line, mask_);
  if (read.masks.empty()) {
    throw DataError(fmt::format("there is no {} in the line", shown(mask_)));
  }
  return read;
}

std::vector<FilledMask> MaskFiller::candidates_of(const MaskedLine& line,
                                                  const std::vector<RowLabels>& labels) const {
  const Tokenizer& tokenizer = *run_.tokenizers.source;
  const auto place = [&](std::size_t mask) { return static_cast<std::size_t>(line.masks[mask]); };
  std::vector<TokenId> most_likely = line.tokens;
  for (std::size_t m = 0; m < labels.size(); ++m) {
    most_likely[place(m)] = labels[m].front().label;
  }
  std::vector<FilledMask> masks;
  for (std::size_t m = 0; m < labels.size(); ++m) {
    FilledMask& candidates = masks.emplace_back();
    std::vector<TokenId> filled = most_likely;
    for (const auto& [token, probability] : labels[m]) {
      filled[place(m)] = token;
      candidates.push_back({.token = tokenizer.entry(token),
                            .probability = probability,
                            .text = tokenizer.decode(filled)});
    }
  }
  return masks;
}

std::vector<std::vector<FilledMask>> MaskFiller::fill(const std::vector<std::string>& lines,
                                                      Index top) const {
  std::vector<MaskedLine> read;
  for (const std::string& line : lines) {
    read.push_back(this->read(line));
  }
  const auto labels =
      label_examples({.transformer = run_.model.transformer, .store = run_.model.store},
                     *masked_source(read), batch_tokens_, top, workers_);
  std::vector<std::vector<FilledMask>> results;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    results.push_back(candidates_of(read[i], labels[i]));
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
