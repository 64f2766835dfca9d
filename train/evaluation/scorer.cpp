#include "train/evaluation/scorer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/ops/concatenate.hpp"
#include "datasets/loader.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/token_words.hpp"
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

// A window of a line: row i reads tokens[first + i] and has the token behind it as its label, but
// for rows before `labelled`.
Batch window_of(std::span<const TokenId> tokens, Index first, Index last, Index labelled) {
  const auto part = [&](Index begin, Index end) {
    return tokens.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  return pack(std::array{Sequence{.input = {part(first, last)},
                                  .labels = {part(labelled + 1, last + 1)},
                                  .predicted = last - labelled,
                                  .first_label = labelled - first}});
}

// The tokens behind the first one.
LineScore score_line(const Models& models, std::span<const TokenId> tokens, Index context) {
  LineScore score;
  const Index rows = std::ssize(tokens) - 1;
  const Index stride = (context + 1) / 2;
  Index labelled = 0;
  for (Index first = 0; labelled < rows; first += stride) {
    const Index last = std::min(first + context, rows);
    const std::vector<Batch> windows(models.size(), window_of(tokens, first, last, labelled));
    append_scores(models, windows, score.tokens);
    labelled = last;
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

Split Scorer::pairs_of(std::span<const std::string> sources,
                       std::span<const std::string> targets) const {
  if (sources.size() != targets.size()) {
    throw DataError(
        fmt::format("there are {} sources and {} targets", sources.size(), targets.size()));
  }
  const Tokenizers& tokenizers = runs_.first().tokenizers;
  Split split;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    split.examples.push_back({.source = tokenizers.source->encode(sources[i]),
                              .target = tokenizers.target->encode(targets[i])});
    for (const SavedRun* run : runs_.runs()) {
      const ModelOptions& options = run->model.transformer.options();
      const Index most =
          source_of(split, layout_of(options))->lengths(static_cast<Index>(i)).longer();
      if (most > options.max_positions) {
        throw DataError(
            fmt::format("pair {} has {} tokens with its mark; the model of {} has {} positions",
                        i + 1, most, run->directory.string(), options.max_positions));
      }
    }
  }
  return split;
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
  const Split split = pairs_of(sources, targets);
  const Models models = runs_.members();
  std::vector<LineScore> scores(sources.size());
  workers_.run(split.size(), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    std::vector<Batch> batches;
    for (const EnsembleMember& model : models) {
      batches.push_back(make_batch(split, {i}, layout_of(model.transformer.options())));
    }
    Tensor attention;
    append_scores(models, batches, scores[k].tokens,
                  heads == nullptr ? Recorder() : heads->mean_into(attention));
    if (heads != nullptr) {
      scores[k].alignment = alignment_of(split.examples[k], attention);
    }
  });
  return scores;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
