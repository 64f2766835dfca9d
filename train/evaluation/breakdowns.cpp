#include "train/evaluation/breakdowns.hpp"

#include <spdlog/spdlog.h>

namespace tapehead {

namespace {

// Empty if the split has only tokens.
std::vector<std::string> written_references(const Split& split) {
  return split.read_references ? split.read_references() : split.references;
}

}  // namespace

PositionLosses::PositionLosses(Index positions) {
  constexpr Index most = 32;
  for (Index last = 0; last < positions;) {
    const Index first = last + 1;
    const auto left = static_cast<double>(most - std::ssize(ranges_));
    const auto end = static_cast<double>(std::max<Index>(1, last));
    const double factor = std::pow(static_cast<double>(positions) / end, 1 / left);
    last = last == 0 ? 1 : std::max<Index>(first, std::lround(end * factor));
    ranges_.push_back({.first = first, .last = last});
  }
}

void PositionLosses::add(const Batch& batch, std::span<const double> losses) {
  if (ranges_.empty()) {
    return;
  }
  const std::vector<Index> read_before = positions(batch.input.segments);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto row = batch.labels.every_row ? i : static_cast<std::size_t>(batch.labels.rows[i]);
    PositionLoss& range =
        *std::ranges::lower_bound(ranges_, read_before[row] + 1, {}, &PositionLoss::last);
    ++range.tokens;
    range.negative_log_likelihood += losses[i];
  }
}

void PositionLosses::add(const PositionLosses& other) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    ranges_[i].tokens += other.ranges_[i].tokens;
    ranges_[i].negative_log_likelihood += other.ranges_[i].negative_log_likelihood;
  }
}

std::vector<PositionLoss> PositionLosses::ranges() const {
  std::vector<PositionLoss> labelled = ranges_;
  std::erase_if(labelled, [](const PositionLoss& range) { return range.tokens == 0; });
  return labelled;
}

std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count) {
  std::vector<std::string> references = written_references(split);
  references.resize(std::min(references.size(), count));
  for (std::size_t i = references.size(); i < count; ++i) {
    references.push_back(
        task.target_tokenizer->decode(split.source->at(static_cast<Index>(i)).labels.list()));
  }
  return references;
}

std::vector<ExampleScore> compared_outputs(const Task& task, const Split& split,
                                           const std::vector<std::string>& outputs) {
  const std::vector<std::string> references = written_references(split);
  return mapped(numbers_below(outputs.size()), [&](std::size_t i) {
    const std::vector<TokenId> tokens = split.source->at(static_cast<Index>(i)).labels.list();
    const bool known = std::ranges::find(tokens, unknown_id) == tokens.end();
    const std::string decoded = task.target_tokenizer->decode(tokens);
    const std::string& reference = i < references.size() ? references[i] : decoded;
    const bool as_written = !references.empty() && outputs[i] == references[i];
    return ExampleScore{.output = outputs[i],
                        .reference = reference,
                        .right = as_written || (known && outputs[i] == decoded)};
  });
}

void say_cut_references(const Split& split, const EvaluationOptions& options) {
  if (split.source->in_one_pass()) {
    return;
  }
  const Index allowed = options.max_extra_length;
  Index longer = 0;
  Index most = 0;
  for (Index i = 0; i < split.outputs(); ++i) {
    const Sequence sequence = split.source->at(i);
    const Index read = sequence.source.size() + 1;
    const Index extra = read == 1 ? 0 : sequence.predicted - 1 - read;
    longer += extra > allowed ? 1 : 0;
    most = std::max(most, extra);
  }
  if (longer > 0) {
    spdlog::warn(
        "{} split: {} of {} references are longer than any output can be: "
        "evaluation.max_extra_length allows {} tokens more than the source has; {} would be enough",
        split.name, longer, split.size(), allowed, most);
  }
}

AnswerScores answer_scores(const Source& source, const std::vector<std::vector<TokenId>>& labels) {
  AnswerScores scores;
  for (std::size_t number = 0; number < labels.size() && source.in_one_pass(); ++number) {
    const std::vector<TokenId> target = source.at(static_cast<Index>(number)).labels.list();
    const Relations relations = source.relations(static_cast<Index>(number));
    const auto answer = std::ranges::find(relations, "answer", &Relation::name);
    if (answer == relations.end() || answer->side != RelationSide::source) {
      continue;
    }
    std::vector<bool> is_answer(target.size());
    for (const PositionPair& pair : answer->pairs) {
      is_answer[static_cast<std::size_t>(pair.query)] = true;
    }
    for (std::size_t row = 0; row < target.size(); ++row) {
      const Index right = labels[number][row] == target[row] ? 1 : 0;
      (is_answer[row] ? scores.answers : scores.others) += 1;
      (is_answer[row] ? scores.answers_right : scores.others_right) += right;
    }
  }
  return scores;
}

TypeScores type_scores(const Split& split, const std::vector<TypeGroup>& groups,
                       const std::vector<bool>& right) {
  if (split.types.empty()) {
    return {};
  }
  std::map<std::string, TypeScore> by_type;
  for (std::size_t i = 0; i < right.size(); ++i) {
    TypeScore& score = by_type[split.types[i]];
    score.name = split.types[i];
    ++score.examples;
    score.right += right[i] ? 1 : 0;
  }
  TypeScores scores;
  std::ranges::copy(by_type | std::views::values, std::back_inserter(scores.types));
  for (const TypeGroup& group : groups) {
    TypeScore sum{.name = group.name};
    for (const std::string& type : group.types) {
      sum.examples += by_type[type].examples;  // 0 if there is no such example
      sum.right += by_type[type].right;
    }
    if (sum.examples > 0) {
      scores.groups.push_back(sum);
    }
  }
  return scores;
}

}  // namespace tapehead
