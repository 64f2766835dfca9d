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
#include "train/evaluation/generator.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Models = std::vector<EnsembleMember>;

// The logarithm of the probability of each label of a batch, in order.
std::vector<double> log_probabilities(const EnsembleMember& model, const Batch& batch,
                                      const Recorder& recorder) {
  Tape tape(false);
  Pass pass(tape, model.store);
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

// The labels of a batch, which each model reads in its own layout; `recorder` sees the first model.
void append_scores(const Models& models, std::span<const Batch> batches,
                   std::vector<TokenScore>& scores, const Recorder& recorder = {}) {
  std::vector<std::vector<double>> by_model;
  for (std::size_t k = 0; k < models.size(); ++k) {
    by_model.push_back(log_probabilities(models[k], batches[k], k == 0 ? recorder : Recorder()));
  }
  std::vector<double> logs(models.size());
  for (std::size_t i = 0; i < by_model.front().size(); ++i) {
    std::ranges::transform(by_model, logs.begin(), [i](const auto& of) { return of[i]; });
    scores.push_back(
        {.token = batches.front().labels.ids[i], .log_probability = log_mean_exp(logs)});
  }
}

// The tokens behind the first one, each predicted from at least half a context.
LineScore score_line(const Models& models, const std::vector<TokenId>& tokens, Index context) {
  WindowList windows(context);
  windows.add({.begin = 1,
               .end = std::ssize(tokens),
               .head = context,
               .step = (context + 1) / 2,
               .opens = false});
  const auto source = window_source(tokens, std::move(windows));
  LineScore score;
  for (Index i = 0; i < source->size(); ++i) {
    const std::vector<Batch> batches(models.size(), pack(*source, {i}));
    append_scores(models, batches, score.tokens);
  }
  return score;
}

void expect_kind(const SavedRun& run, bool of_text) {
  expect_writes(run.config, run.directory.string());
  if (run.config.task.kind().of_text() != of_text) {
    throw ConfigError(fmt::format(
        "run {} is {}", run.directory.string(),
        of_text ? "no language model: score targets for sources, with --source and --target"
                : "a language model: score lines, with --input or from standard input"));
  }
}

}  // namespace

double LineScore::log_probability() const {
  return std::accumulate(
      tokens.begin(), tokens.end(), 0.0,
      [](double sum, const TokenScore& token) { return sum + token.log_probability; });
}

std::vector<LineScore> Scorer::score(std::span<const std::string> lines) const {
  expect_kind(runs_.first(), true);
  const std::vector<TokenId> front = Generator(runs_, workers_, {}).front_of_text();
  const Models models = runs_.members();
  std::vector<LineScore> scores(lines.size());
  workers_.run(std::ssize(lines), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    std::vector<TokenId> tokens = front;
    const std::vector<TokenId> line = runs_.first().tokenizers.source->encode(lines[k]);
    tokens.insert(tokens.end(), line.begin(), line.end());
    scores[k] = score_line(models, tokens, runs_.context());
  });
  return scores;
}

// For each of the runs.
std::vector<std::shared_ptr<const Source>> Scorer::sources_of(
    const std::shared_ptr<const Examples>& pairs) const {
  std::vector<std::shared_ptr<const Source>> sources;
  for (const SavedRun* run : runs_.runs()) {
    const ModelOptions& options = run->model.transformer.options();
    const Source& source = *sources.emplace_back(pair_source(pairs, layout_of(options)));
    for (Index i = 0; i < source.size(); ++i) {
      if (const Index most = source.lengths(i).longer(); most > options.max_positions) {
        throw DataError(
            fmt::format("pair {} has {} tokens with its mark; the model of {} has {} positions",
                        i + 1, most, run->directory.string(), options.max_positions));
      }
    }
  }
  return sources;
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
  expect_kind(runs_.first(), false);
  if (sources.size() != targets.size()) {
    throw DataError(
        fmt::format("there are {} sources and {} targets", sources.size(), targets.size()));
  }
  const Tokenizers& tokenizers = runs_.first().tokenizers;
  const auto pairs = std::make_shared<Examples>();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    pairs->push_back({.source = tokenizers.source->encode(sources[i]),
                      .target = tokenizers.target->encode(targets[i])});
  }
  const auto as_read = sources_of(pairs);
  const Models models = runs_.members();
  std::vector<LineScore> scores(sources.size());
  workers_.run(std::ssize(*pairs), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    std::vector<Batch> batches;
    for (const auto& source : as_read) {
      batches.push_back(pack(*source, {i}));
    }
    Tensor attention;
    append_scores(models, batches, scores[k].tokens,
                  heads == nullptr ? Recorder() : heads->mean_into(attention));
    if (heads != nullptr) {
      scores[k].alignment = alignment_of((*pairs)[k], attention);
    }
  });
  return scores;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
