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
#include "datasets/pairs.hpp"
#include "train/evaluation/classifier.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/generator.hpp"
#include "train/evaluation/mask_filler.hpp"
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

// The model's own output for the only example of a source.
Hypothesis output_of(const SavedRun& run, const EnsembleMember& model, const Source& source,
                     Workers& workers) {
  const ModelAndSource one{.model = model, .source = source};
  return decode_examples({&one, 1}, decoding_batch_tokens, decoding_options(run.config.evaluation),
                         workers)
      .front()
      .front();
}

TextBatch pair_of(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                  const std::optional<std::string>& target, Workers& workers) {
  const Layout layout = layout_of(run.config.model);
  const auto as_read = [&](const Example& pair) { return pair_source(Examples{pair}, layout); };
  Example pair{.source = known_tokens(run, text), .target = {}};
  if (target) {
    pair.target = run.tokenizers.target->encode(*target);
    expect_known(pair.target, *target, "target");
    if (layout.input == InputRows::source && pair.target.size() != pair.source.size()) {
      throw DataError(
          fmt::format("the text has {} tokens and the target {}; an encoder gives one "
                      "label to each token",
                      pair.source.size(), pair.target.size()));
    }
  }
  const auto first_read = as_read(pair);
  expect_positions(run, first_read->lengths(0).longer(), "text");
  bool unfinished = false;
  if (!target) {
    Hypothesis output = output_of(run, model, *first_read, workers);
    pair.target = std::move(output.tokens);
    unfinished = !output.ended;
    // An output that fills all positions has a last token that no position reads.
    const Index rows = as_read(pair)->lengths(0).input;
    const Index too_many = std::max<Index>(0, rows - run.config.model.max_positions);
    pair.target.resize(pair.target.size() - static_cast<std::size_t>(too_many));
  }
  const auto source = as_read(pair);
  expect_positions(run, source->lengths(0).longer(), "text with its target");
  return {.batch = pack(*source, {0}),
          .source = text,
          .target = run.tokenizers.target->decode(pair.target),
          .generated = !target,
          .unfinished = unfinished};
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
  const Layout layout = layout_of(run.config.model);
  ClassifiedText read = Classifier(run, workers).read(text);
  expect_known(read.tokens, text, "text");
  const auto unlabelled = class_source({read}, layout);
  if (target) {
    const std::vector<TokenId> label = run.tokenizers.target->encode(*target);
    if (label.empty()) {
      throw DataError(fmt::format("there is no class {}; the run's are {}", shown(*target),
                                  classes_of(*run.tokenizers.target)));
    }
    read.label = label.front();
  }
  expect_positions(run, unlabelled->lengths(0).longer(), "text");
  if (!target) {
    read.label = output_of(run, model, *unlabelled, workers).tokens.front();
  }
  return {.batch = pack(*class_source({read}, layout), {0}),
          .source = text,
          .target = run.tokenizers.target->entry(read.label),
          .generated = !target,
          .cut = read.cut};
}

TextBatch masked_text(const SavedRun& run, const std::string& text) {
  const MaskedLine line = masked_line(run, text, mask_in_text);
  expect_known(line.tokens, text, "text");
  TextBatch read{.batch = pack(*masked_source({line}), {0}), .source = text};
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
