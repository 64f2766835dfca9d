#include "train/evaluation/mask_filler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "datasets/corpus/masking.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "nn/transformer/best_labels.hpp"
#include "train/options/application.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The batch of one line, whose labelled rows are its masks.
Batch batch_of(const std::vector<TokenId>& tokens, TokenId mask, bool ends) {
  Batch batch{.context = {}, .input = {}, .labels = {.every_row = false}, .examples = {0}};
  batch.input.ids.push_back(begin_id);
  for (const TokenId token : tokens) {
    if (token == mask) {
      batch.labels.rows.push_back(batch.input.rows());
      batch.labels.ids.push_back(0);
    }
    batch.input.ids.push_back(token);
  }
  if (ends) {
    batch.input.ids.push_back(end_id);
  }
  batch.context.segments = segments_of({0});
  batch.input.segments = segments_of({batch.input.rows()});
  return batch;
}

}  // namespace

MaskFiller::MaskFiller(const SavedRun& run, Workers& workers, std::string mask)
    : run_(run), workers_(workers), mask_(std::move(mask)) {
  expect_used_with(run.config, run.directory.string(), Application::fill);
  if (mask_.empty()) {
    throw ConfigError("a mask needs a text that stands for it in a line");
  }
  const auto& options = run.config.task.as<TextOptions>();
  context_ = options.context;
  ends_ = options.documents != DocumentEnd::file;
}

// A subword that begins a word holds the space before it, which a mask therefore takes in.
std::vector<TokenId> MaskFiller::read(std::string_view line) const {
  const Tokenizer& tokenizer = *run_.tokenizers.source;
  const bool subwords = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) != nullptr;
  std::vector<TokenId> tokens;
  while (true) {
    const std::size_t at = line.find(mask_);
    std::string_view part = line.substr(0, at);
    if (subwords && at != std::string_view::npos && part.ends_with(' ')) {
      part.remove_suffix(1);
    }
    const std::vector<TokenId> encoded = tokenizer.encode(part);
    tokens.insert(tokens.end(), encoded.begin(), encoded.end());
    if (at == std::string_view::npos) {
      return tokens;
    }
    tokens.push_back(mask_id(tokenizer));
    line.remove_prefix(at + mask_.size());
  }
}

std::vector<FilledMask> MaskFiller::fill_line(const std::string& line, Index top) const {
  const Tokenizer& tokenizer = *run_.tokenizers.source;
  std::vector<TokenId> tokens = read(line);
  const TokenId mask = mask_id(tokenizer);
  if (std::ssize(tokens) > context_) {
    throw DataError(fmt::format("{} tokens, but the model reads {} at a time; shorten the line",
                                tokens.size(), context_));
  }
  const Batch batch = batch_of(tokens, mask, ends_);
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

}  // namespace tapehead::inline TAPEHEAD_PRECISION
