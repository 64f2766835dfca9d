#include "train/evaluation/scorer.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/ops/concatenate.hpp"
#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/token_words.hpp"
#include "datasets/window_source.hpp"
#include "nn/generation/mean_probabilities.hpp"
#include "train/evaluation/decoding_batches.hpp"
#include "train/evaluation/generator.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Models = std::vector<EnsembleMember>;

// The logarithm of the probability of each label of a batch, in order.
// `packed`: with weights as they are used together with any number of rows.
std::vector<double> log_probabilities(const EnsembleMember& model, const Batch& batch,
                                      const Recorder& recorder, bool packed) {
  Tape tape(false);
  Pass pass(tape, model.store);
  if (packed) {
    pass.keep_weights_packed();
  }
  pass.recorder = recorder;
  Var rows = model.transformer.hidden(pass, batch);
  if (!batch.labels.every_row) {
    rows = select_rows(rows, batch.labels.rows);
  }
  const Tensor logits = model.transformer.logits(pass, rows).value();
  std::vector<double> logs;
  for (Index i = 0; i < batch.labels.count(); ++i) {
    const std::span<const Scalar> row(logits.row(i), static_cast<std::size_t>(logits.dim(1)));
    const TokenId label = batch.labels.ids[static_cast<std::size_t>(i)];
    logs.push_back(static_cast<double>(row[static_cast<std::size_t>(label)]) - log_sum_exp(row));
  }
  return logs;
}

// Windows in which each token behind the first one is predicted once, from at least half a context.
WindowList windows_over(const std::vector<TokenId>& tokens, Index context) {
  WindowList windows(context);
  windows.add({.begin = 1,
               .end = std::ssize(tokens),
               .head = context,
               .step = (context + 1) / 2,
               .opens = false});
  return windows;
}

}  // namespace

void Scorer::expect_scores(Scored what) const {
  const SavedRun& run = runs_.first();
  expect_writes(run.config, run.directory.string());
  const bool lines = what == Scored::lines;
  if (run.config.task.kind().of_text() != lines) {
    throw ConfigError(fmt::format(
        "run {} is {}", run.directory.string(),
        lines ? "no language model: score targets for sources, with --source and --target"
              : "a language model: score lines, with --input or from standard input"));
  }
}

void Scorer::expect_positions(const Example& pair, std::string_view what) const {
  for (const SavedRun* run : runs_.runs()) {
    const ModelOptions& options = run->model.transformer.options();
    const Index most = pair_source(Examples{pair}, layout_of(options))->lengths(0).longer();
    if (most > options.max_positions) {
      throw DataError(
          fmt::format("{} has {} tokens with its mark; the model of {} has {} positions", what,
                      most, run->directory.string(), options.max_positions));
    }
  }
}

double LineScore::log_probability() const {
  return std::accumulate(
      tokens.begin(), tokens.end(), 0.0,
      [](double sum, const TokenScore& token) { return sum + token.log_probability; });
}

// Sequences of similar lengths share a batch, which each model reads in its own layout; no bit of a
// score depends on what else is in it. With heads, of the first model, each has a pass of its own,
// which records their mean weights.
std::vector<std::vector<TokenScore>> Scorer::scores_of(const Sources& sources,
                                                       const AlignmentHeads* heads,
                                                       std::vector<Tensor>& attentions) const {
  const Source& first = *sources.front();
  const Models models = runs_.members();
  const auto batches =
      decoding_batches(first, heads == nullptr ? batch_tokens_ : 1, 1, workers_.threads());
  attentions.resize(static_cast<std::size_t>(first.size()));
  std::vector<std::vector<TokenScore>> scores(static_cast<std::size_t>(first.size()));
  workers_.run(std::ssize(batches), [&](Index b) {
    const std::vector<Index>& numbers = batches[static_cast<std::size_t>(b)];
    std::vector<std::vector<double>> by_model;
    for (std::size_t k = 0; k < models.size(); ++k) {
      Tensor& attention = attentions[static_cast<std::size_t>(numbers.front())];
      by_model.push_back(
          log_probabilities(models[k], pack(*sources[k], numbers),
                            heads != nullptr && k == 0 ? heads->mean_into(attention) : Recorder(),
                            batch_tokens_ > 1));
    }
    std::vector<double> logs(models.size());
    std::size_t row = 0;
    for (const Index number : numbers) {
      for (const TokenId label : first.at(number).labels.list()) {
        std::ranges::transform(by_model, logs.begin(), [row](const auto& of) { return of[row]; });
        scores[static_cast<std::size_t>(number)].push_back(
            {.token = label, .log_probability = log_mean_exp(logs)});
        ++row;
      }
    }
  });
  return scores;
}

std::vector<LineScore> Scorer::score(std::span<const std::string> lines) const {
  expect_scores(Scored::lines);
  const std::vector<TokenId> front = Generator(runs_, workers_, {}).front_of_text();
  std::vector<std::vector<TokenId>> tokens(lines.size(), front);
  Sources windows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<TokenId> line = runs_.first().tokenizers.source->encode(lines[i]);
    tokens[i].insert(tokens[i].end(), line.begin(), line.end());
    windows.push_back(window_source(tokens[i], windows_over(tokens[i], runs_.context())));
  }
  std::vector<LineScore> scores(lines.size());
  if (lines.empty()) {
    return scores;
  }
  std::vector<Tensor> none;
  const auto by_window =
      scores_of(Sources(runs_.runs().size(), one_after_another(windows)), nullptr, none);
  auto window = by_window.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (Index count = windows[i]->size(); count > 0; --count, ++window) {
      scores[i].tokens.insert(scores[i].tokens.end(), window->begin(), window->end());
    }
  }
  return scores;
}

Alignment Scorer::alignment_of(const Example& pair, const Tensor& attention) const {
  const Tokenizers& tokenizers = runs_.first().tokenizers;
  const Alignment tokens =
      aligned_tokens(attention, std::ssize(pair.target), std::ssize(pair.source));
  const auto source = words_of_tokens(*tokenizers.source, pair.source);
  const auto target = words_of_tokens(*tokenizers.target, pair.target);
  return source && target ? aligned_words(tokens, *source, *target) : tokens;
}

std::vector<LineScore> Scorer::score(std::span<const std::string> sources,
                                     std::span<const std::string> targets,
                                     const AlignmentHeads* heads) const {
  expect_scores(Scored::pairs);
  if (sources.size() != targets.size()) {
    throw DataError(
        fmt::format("there are {} sources and {} targets", sources.size(), targets.size()));
  }
  const Tokenizers& tokenizers = runs_.first().tokenizers;
  const auto pairs = std::make_shared<Examples>();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    pairs->push_back({.source = tokenizers.source->encode(sources[i]),
                      .target = tokenizers.target->encode(targets[i])});
    expect_positions(pairs->back(), fmt::format("pair {}", i + 1));
  }
  std::vector<Tensor> attentions;
  Sources as_read;
  for (const SavedRun* run : runs_.runs()) {
    as_read.push_back(pair_source(pairs, layout_of(run->model.transformer.options())));
  }
  auto by_pair = scores_of(as_read, heads, attentions);
  std::vector<LineScore> scores(sources.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i].tokens = std::move(by_pair[i]);
    if (heads != nullptr) {
      scores[i].alignment = alignment_of((*pairs)[i], attentions[i]);
    }
  }
  return scores;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
