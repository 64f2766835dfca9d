#include "lab/inspection/text_batch.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "core/text.hpp"
#include "datasets/corpus/masking.hpp"
#include "datasets/sources.hpp"
#include "train/evaluation/classifier.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/generator.hpp"
#include "train/evaluation/masked_line.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void expect_known(const std::vector<TokenId>& tokens, const std::string& text, const char* what) {
  const auto unknown = [](TokenId token) { return token == unknown_id; };
  if (!tokens.empty() && std::ranges::all_of(tokens, unknown)) {
    throw DataError(
        fmt::format("the run's tokenizer knows no token of the {} {}", what, shown(text)));
  }
}

// The tokens of a text, at least one of which is known.
std::vector<TokenId> known_tokens(const SavedRun& run, const std::string& text) {
  std::vector<TokenId> tokens = run.tokenizers.source->encode(text);
  if (tokens.empty()) {
    throw DataError("the text has no token");
  }
  expect_known(tokens, text, "text");
  return tokens;
}

void expect_positions(const SavedRun& run, Index rows, const char* what) {
  const Index most = run.config.model.max_positions;
  if (rows > most) {
    throw DataError(
        fmt::format("the {} has {} tokens with its mark; the model of {} has {} "
                    "positions (model.max_positions)",
                    what, rows, run.directory.string(), most));
  }
}

// The model's own output for the only example of a split.
Hypothesis output_of(const SavedRun& run, const EnsembleMember& model, const Split& split,
                     Workers& workers) {
  if (!labels_in_one_pass(run.config)) {
    return decode_examples({&model, 1}, split, decoding_batch_tokens,
                           decoding_options(run.config.evaluation), workers)
        .front()
        .front();
  }
  const auto source = source_of(split, layout_of(run.config.model));
  const BestTokens best =
      best_labels(model.transformer, model.store, pack(std::array{source->at(0)}), 1,
                  LogSums::left_out, model.substitute);
  Hypothesis labels;
  for (const TokenLogit& label : best.tokens) {
    labels.tokens.push_back(label.token);
  }
  return labels;
}

TextBatch batch_of(const SavedRun& run, const EnsembleMember& model, Split split,
                   const std::string& text, const std::optional<std::string>& target,
                   Workers& workers) {
  Example& example = split.examples.front();
  const auto source = source_of(split, layout_of(run.config.model));
  expect_positions(run, source->lengths(0).longer(), "text");
  bool unfinished = false;
  if (!target) {
    Hypothesis output = output_of(run, model, split, workers);
    example.target = std::move(output.tokens);
    unfinished = !output.ended;
    // An output that fills all positions has a last token that no position reads.
    const Index rows = source->lengths(0).input;
    const Index too_many = std::max<Index>(0, rows - run.config.model.max_positions);
    example.target.resize(example.target.size() - static_cast<std::size_t>(too_many));
  }
  expect_positions(run, source->lengths(0).longer(), "text with its target");
  return {.batch = pack(std::array{source->at(0)}),
          .source = text,
          .target = run.tokenizers.target->decode(example.target),
          .generated = !target,
          .unfinished = unfinished};
}

TextBatch pair_of(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                  const std::optional<std::string>& target, Workers& workers) {
  Example pair{.source = known_tokens(run, text), .target = {}};
  if (target) {
    pair.target = run.tokenizers.target->encode(*target);
    expect_known(pair.target, *target, "target");
    if (run.config.model.family == Family::encoder && pair.target.size() != pair.source.size()) {
      throw DataError(
          fmt::format("the text has {} tokens and the target {}; an encoder gives one "
                      "label to each token",
                      pair.source.size(), pair.target.size()));
    }
  }
  Split split;
  split.examples.push_back(std::move(pair));
  return batch_of(run, model, std::move(split), text, target, workers);
}

std::string classes_of(const Tokenizer& classes) {
  std::vector<std::string> list;
  for (TokenId one = 0; one < classes.size(); ++one) {
    list.push_back(classes.entry(one));
  }
  return join(list, ", ");
}

TextBatch class_of(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                   const std::optional<std::string>& target, Workers& workers) {
  const ClassifiedText read = Classifier(run, workers).read(text);
  expect_known(read.tokens, text, "text");
  Split split;
  split.classes = true;
  split.examples.push_back({.source = read.tokens, .target = {}});
  if (target) {
    split.examples.front().target = run.tokenizers.target->encode(*target);
    if (split.examples.front().target.empty()) {
      throw DataError(fmt::format("there is no class {}; the run's are {}", shown(*target),
                                  classes_of(*run.tokenizers.target)));
    }
  }
  TextBatch batch = batch_of(run, model, std::move(split), text, target, workers);
  batch.cut = read.cut;
  return batch;
}

TextBatch masked_text(const SavedRun& run, const std::string& text) {
  const MaskedLine line = masked_line(run, text, mask_in_text);
  expect_known(line.tokens, text, "text");
  TextBatch read{.batch = line.batch(mask_id(*run.tokenizers.source)), .source = text};
  expect_positions(run, read.batch.input.rows(), "text");
  return read;
}

// Every row but the last is labelled with the token after it.
TextBatch running_text(const SavedRun& run, const std::string& text, Workers& workers) {
  const std::vector<TokenId> encoded = known_tokens(run, text);
  std::vector<TokenId> all = Generator(run, workers, {}).front_of_text();
  all.insert(all.end(), encoded.begin(), encoded.end());
  expect_positions(run, std::ssize(all), "text");
  const std::span<const TokenId> next = std::span(all).subspan(1);
  return {.batch = pack(std::array{
              Sequence{.input = {all}, .labels = {next}, .predicted = std::ssize(next)}}),
          .source = text};
}

}  // namespace

TextBatch read_text(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                    const std::optional<std::string>& target, Workers& workers) {
  const Application application = application_of(run.config);
  const bool running = application == Application::fill || application == Application::generate;
  if (running && target) {
    throw ConfigError(
        fmt::format("run {} is a language model, which reads one text: leave --target out",
                    run.directory.string()));
  }
  switch (application) {
    case Application::fill:
      return masked_text(run, text);
    case Application::generate:
      return running_text(run, text, workers);
    case Application::classify:
      return class_of(run, model, text, target, workers);
    default:
      return pair_of(run, model, text, target, workers);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
