#include "train/evaluation/mask_filler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "datasets/corpus/masking.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/token_words.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A subword that begins a word holds the space before it, which a mask therefore takes in.
// SentencePiece reads a space in front of the line, and of the line only.
std::vector<TokenId> tokens_of(const Tokenizer& tokenizer, std::string_view line,
                               std::string_view mask) {
  if (line.find(mask) == std::string_view::npos) {
    return tokenizer.encode(line);
  }
  const bool subwords = has_entries_with_spaces(tokenizer);
  const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer);
  const std::string read = fmt::format("{}{}", pieces != nullptr ? " " : "", line);
  std::string_view rest = read;
  std::vector<TokenId> tokens;
  while (true) {
    const std::size_t at = rest.find(mask);
    std::string_view part = rest.substr(0, at);
    if (subwords && at != std::string_view::npos && part.ends_with(' ')) {
      part.remove_suffix(1);
    }
    const std::vector<TokenId> encoded =
        pieces != nullptr ? pieces->encode_rest(part) : tokenizer.encode(part);
    tokens.insert(tokens.end(), encoded.begin(), encoded.end());
    if (at == std::string_view::npos) {
      return tokens;
    }
    tokens.push_back(mask_id(tokenizer));
    rest.remove_prefix(at + mask.size());
  }
}

class MaskedLines : public Source {
 public:
  explicit MaskedLines(std::vector<MaskedLine> lines) : lines_(std::move(lines)) {
    for (const MaskedLine& line : lines_) {
      std::ranges::transform(line.masks, std::back_inserter(rows_.emplace_back()),
                             [](Index token) { return token + 1; });
      labels_.emplace_back(line.masks.size(), unknown_id);
    }
  }

  Index size() const override { return std::ssize(lines_); }
  SequenceLengths lengths(Index number) const override {
    const MaskedLine& line = lines_[static_cast<std::size_t>(number)];
    return {.input = 1 + std::ssize(line.tokens) + (line.ends ? 1 : 0)};
  }
  Sequence at(Index number) const override {
    const MaskedLine& line = lines_[static_cast<std::size_t>(number)];
    const std::vector<Index>& rows = rows_[static_cast<std::size_t>(number)];
    return {.source = {line.tokens},
            .input = {begin_id, line.tokens, line.ends ? IdView(end_id) : IdView()},
            .labels = {labels_[static_cast<std::size_t>(number)]},
            .predicted = std::ssize(rows),
            .label_rows = rows,
            .number = number};
  }
  bool in_one_pass() const override { return true; }

 private:
  std::vector<MaskedLine> lines_;
  std::vector<std::vector<Index>> rows_;
  std::vector<std::vector<TokenId>> labels_;  // unknown marks: nobody knows them
};

}  // namespace

std::shared_ptr<const Source> masked_source(std::vector<MaskedLine> lines) {
  return std::make_shared<MaskedLines>(std::move(lines));
}

MaskedLine masked_line(const SavedRun& run, std::string_view line, std::string_view mask) {
  const auto& options = run.config.task.as<TextOptions>();
  std::vector<TokenId> tokens = tokens_of(*run.tokenizers.source, line, mask);
  const Index count = std::ssize(tokens);
  if (count > options.context) {
    throw DataError(fmt::format("{} tokens, but the model reads {} at a time; shorten the line",
                                count, options.context));
  }
  std::vector<Index> masks;
  for (Index i = 0; i < count; ++i) {
    if (tokens[static_cast<std::size_t>(i)] == mask_id(*run.tokenizers.source)) {
      masks.push_back(i);
    }
  }
  // The end mark is a token of its window.
  return {.tokens = std::move(tokens),
          .masks = std::move(masks),
          .ends = options.documents != DocumentEnd::file && count < options.context};
}

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
