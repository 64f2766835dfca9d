#include "train/evaluation/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/ops/select_rows.hpp"
#include "datasets/loader.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_options.hpp"
#include "train/evaluation/generator.hpp"
#include "train/options/layout.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// log Σ_v exp(z_v)
double log_sum_exp(std::span<const Scalar> logits) {
  const auto largest = static_cast<double>(std::ranges::max(logits));
  double sum = 0;
  for (const Scalar logit : logits) {
    sum += std::exp(static_cast<double>(logit) - largest);
  }
  return largest + std::log(sum);
}

// The labels of a batch, in order.
void append_scores(const Model& model, const Batch& batch, std::vector<TokenScore>& scores) {
  Tape tape(false);
  Pass pass(tape, model.store);
  Var rows = model.transformer.hidden(pass, batch);
  if (!batch.labels.every_row) {
    rows = select_rows(rows, batch.labels.rows);
  }
  const Tensor logits = model.transformer.logits(pass, rows).value();
  for (Index i = 0; i < batch.labels.count(); ++i) {
    const std::span<const Scalar> row(logits.row(i), static_cast<std::size_t>(logits.dim(1)));
    const TokenId token = batch.labels.ids[static_cast<std::size_t>(i)];
    const double log_probability =
        static_cast<double>(row[static_cast<std::size_t>(token)]) - log_sum_exp(row);
    if (!std::isfinite(log_probability)) {
      throw NumericError("the log-probability of a token is not finite");
    }
    scores.push_back({.token = token, .log_probability = log_probability});
  }
}

// A window of a line: row i reads tokens[first + i] and has the token behind it as its label, but
// for rows before `labelled`.
Batch window_of(std::span<const TokenId> tokens, Index first, Index last, Index labelled) {
  Batch batch;
  batch.examples = {0};
  batch.labels.every_row = labelled == first;
  batch.context.segments = segments_of({0});
  batch.input.segments = segments_of({last - first});
  for (Index i = first; i < last; ++i) {
    batch.input.ids.push_back(tokens[static_cast<std::size_t>(i)]);
    if (i >= labelled) {
      batch.labels.ids.push_back(tokens[static_cast<std::size_t>(i) + 1]);
      if (!batch.labels.every_row) {
        batch.labels.rows.push_back(i - first);
      }
    }
  }
  return batch;
}

// The tokens behind the first one.
LineScore score_line(const Model& model, std::span<const TokenId> tokens, Index context) {
  LineScore score;
  const Index rows = std::ssize(tokens) - 1;
  const Index stride = (context + 1) / 2;
  Index labelled = 0;
  for (Index first = 0; labelled < rows; first += stride) {
    const Index last = std::min(first + context, rows);
    append_scores(model, window_of(tokens, first, last, labelled), score.tokens);
    labelled = last;
  }
  return score;
}

void expect_kind(const SavedRun& run, bool of_text) {
  if (run.config.task.kind().of_text != of_text) {
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
  expect_kind(run_, true);
  const std::vector<TokenId> front = Generator(run_, workers_, {}).read_of("");
  const Index context = run_.config.task.as<TextOptions>().context;
  std::vector<LineScore> scores(lines.size());
  workers_.run(std::ssize(lines), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    std::vector<TokenId> tokens = front;
    const std::vector<TokenId> line = run_.tokenizers.source->encode(lines[k]);
    tokens.insert(tokens.end(), line.begin(), line.end());
    scores[k] = score_line(run_.model, tokens, context);
  });
  return scores;
}

std::vector<LineScore> Scorer::score(std::span<const std::string> sources,
                                     std::span<const std::string> targets) const {
  expect_kind(run_, false);
  if (sources.size() != targets.size()) {
    throw DataError(
        fmt::format("there are {} sources and {} targets", sources.size(), targets.size()));
  }
  const Layout layout = layout_of(run_.config.model);
  Split split;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    split.examples.push_back({.source = run_.tokenizers.source->encode(sources[i]),
                              .target = run_.tokenizers.target->encode(targets[i])});
    const ExampleRows rows = example_rows(split, static_cast<Index>(i), layout);
    const Index most = std::max(rows.context, rows.input);
    if (most > run_.config.model.max_positions) {
      throw DataError(fmt::format("pair {} has {} tokens with its mark; the model has {} positions",
                                  i + 1, most, run_.config.model.max_positions));
    }
  }
  std::vector<LineScore> scores(sources.size());
  workers_.run(split.size(), [&](Index i) {
    append_scores(run_.model, make_batch(split, {i}, layout),
                  scores[static_cast<std::size_t>(i)].tokens);
  });
  return scores;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
