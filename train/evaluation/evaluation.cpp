#include "train/evaluation/evaluation.hpp"

#include "core/files/process.hpp"
#include "datasets/loader.hpp"
#include "nn/attention/caches.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/shared_parts.hpp"
#include "train/options/application.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

struct Sums {
  double negative_log_likelihood = 0;
  Index correct = 0;
  Index tokens = 0;
  Index unknown = 0;
  PositionLosses by_position;

  void add(const Sums& other) {
    negative_log_likelihood += other.negative_log_likelihood;
    correct += other.correct;
    tokens += other.tokens;
    unknown += other.unknown;
    by_position.add(other.by_position);
  }
};

void serialize(auto& bytes, Sums& sums) {
  bytes(sums.negative_log_likelihood, sums.correct, sums.tokens, sums.unknown, sums.by_position);
}

Sums sums_of(const Batch& batch, const CrossEntropy& result, bool has_marks,
             PositionLosses by_position) {
  by_position.add(batch, result.by_row);
  return {.negative_log_likelihood = result.negative_log_likelihood,
          .correct = result.correct,
          .tokens = batch.labels.count(),
          .unknown = has_marks ? std::ranges::count(batch.labels.ids, unknown_id) : 0,
          .by_position = std::move(by_position)};
}

// Adds in the order of the parts, because floating-point sums depend on their order.
Sums total_of(std::size_t parts, const auto& compute, const PositionLosses& by_position,
              const Team& team) {
  Sums total{.by_position = by_position};
  for (const Sums& part : compute_parts<Sums>(static_cast<Index>(parts), compute, team)) {
    total.add(part);
  }
  return total;
}

// Each batch of a group of lanes depends on the batch before, so a part is a whole group.
Sums evaluate_lanes(const Model& model, const EvaluationLanes& lanes, const Team& team) {
  const auto groups = evaluation_groups(lanes, model.transformer.options().d_model);
  Index windows = 0;  // of the longest lane; its last window counts as full
  for (Index lane = 0; lane < lanes.list.runs(); ++lane) {
    windows = std::max(windows, lanes.list.count_of(lane));
  }
  const PositionLosses by_position(windows * lanes.context);
  const auto sums_of_group = [&](Index i) {
    Sums sum{.by_position = by_position};
    read_lanes(model, lanes, groups[static_cast<std::size_t>(i)],
               [&](const Batch& batch, const CrossEntropy& result) {
                 sum.add(sums_of(batch, result, true, by_position));
               });
    return sum;
  };
  return total_of(groups.size(), sums_of_group, by_position, team);
}

Sums evaluate_labels(const Model& model, const Split& split, Index batch_tokens, const Team& team) {
  const auto batches = ordered_batches(*split.source, batch_tokens);
  const PositionLosses by_position(split.source->positions());
  const auto sums_of_batch = [&](Index i) {
    const Batch batch = pack(*split.source, batches[static_cast<std::size_t>(i)]);
    Tape tape(false);
    Pass pass(tape, model.store);
    return sums_of(batch, batch_loss(model.transformer, pass, batch), measurable(split.kind).tokens,
                   by_position);
  };
  return total_of(batches.size(), sums_of_batch, by_position, team);
}

// `of_outputs`: metrics of outputs, one score for each example; else metrics of the whole split.
void add_metrics(Evaluation& result, ExampleKind measured, bool of_outputs,
                 std::span<const ExampleScore> examples, const EvaluationOptions& options) {
  for (std::size_t i = 0; i < metric_count; ++i) {
    const MetricKind& kind = *metric_kinds[i];
    const bool by_output = needs_outputs(kind) || kind.of == &Measurable::labels;
    const bool known = kind.of != &Measurable::text || examples.front().bytes > 0;
    if (is_measured(kind, measured) && by_output == of_outputs && known) {
      result.metrics[i] = measure(kind, examples, options);
      result.signatures[i] = kind.signature == nullptr ? "" : kind.signature(options);
    }
  }
}

}  // namespace

std::vector<ExampleScore> written_examples(const Task& task, const Split& split,
                                           const std::vector<std::vector<TokenId>>& outputs) {
  const auto decode = [&](const auto& tokens) { return task.target_tokenizer->decode(tokens); };
  return compared_outputs(task, split, mapped(outputs, decode));
}

EvaluationLanes evaluation_lanes(const Split& split, Index memory, Index batch_tokens) {
  expect_one_stream(split.text, "evaluation.memory", split.name);
  constexpr Index least_length = 16;  // of a lane, in lengths of its memory and a window together
  const Index context = split.text.windowing.context;
  const Index windows = split.size();
  const Index long_enough = windows * context / (least_length * (context + memory));
  const Index most = std::min(lanes_of_batch(batch_tokens, context), windows);
  const Index lanes = std::clamp<Index>(long_enough, 1, std::max<Index>(1, most));
  return {in_lanes(split.text, windows, lanes, memory, context), context, memory};
}

std::vector<LaneGroup> evaluation_groups(const EvaluationLanes& lanes, Index d_model) {
  return lane_groups(lanes.list.runs(), lanes_of_batch(part_rows(d_model), lanes.context));
}

void read_lanes(const Model& model, const EvaluationLanes& lanes, const LaneGroup& group,
                const std::function<void(const Batch&, const CrossEntropy&)>& visit,
                std::optional<Index> most_batches) {
  LaneMemory memory({.lanes = group.count,
                     .layers = std::ssize(model.transformer.main().layers),
                     .rows = lanes.memory,
                     .d_model = model.transformer.options().d_model});
  const auto batches = lane_batches(lanes.list, {group});
  const Index count = std::min(std::ssize(batches), most_batches.value_or(std::ssize(batches)));
  for (Index i = 0; i < count; ++i) {
    Batch batch = pack(*lanes.source, batches[static_cast<std::size_t>(i)]);
    for (Index& lane : batch.input.lanes) {
      lane -= group.first;
    }
    Tape tape(false);
    Pass pass(tape, model.store);
    pass.memory = &memory;
    visit(batch, batch_loss(model.transformer, pass, batch));
    memory.commit();
  }
}

DecodingOptions decoding_options(const EvaluationOptions& options) {
  return {.beam = options.beam,
          .length_penalty = options.length_penalty,
          .max_extra_length = options.max_extra_length,
          .best = 1,
          .scores = false,
          .never = never_written(false),
          .end = end_id};
}

std::vector<std::vector<TokenId>> decode_tokens(const Model& model, const Split& split,
                                                Index examples, const EvaluationOptions& options,
                                                const Team& team) {
  const Split part = first_examples(split, examples);
  return mapped(decode_examples(model.transformer, model.store, *part.source, options.batch_tokens,
                                decoding_options(options), team),
                [](std::vector<Hypothesis>& best) { return std::move(best.front().tokens); });
}

Evaluation evaluate(const Model& model, const Task& task, const Split& split,
                    const EvaluationOptions& options, Index decode_examples, const Team& team) {
  const auto begin = Clock::now();
  const Index memory = options.memory.value_or(0);
  Sums total = memory > 0 ? evaluate_lanes(
                                model, evaluation_lanes(split, memory, options.batch_tokens), team)
                          : evaluate_labels(model, split, options.batch_tokens, team);
  Evaluation result{.examples = split.size(),
                    .tokens = total.tokens,
                    .unknown = total.unknown,
                    .loss_by_position = std::move(total.by_position),
                    .chooses = options.metric};
  // Bytes and words are counted for whole texts only.
  const auto& text = split.text.tokens;
  const auto counts = text && text->size() == total.tokens ? text->counts() : TextCounts{};
  const ExampleScore whole{.negative_log_likelihood = total.negative_log_likelihood,
                           .tokens = std::max<Index>(1, total.tokens),
                           .correct = total.correct,
                           .bytes = static_cast<double>(counts.bytes),
                           .words = static_cast<double>(counts.words)};
  add_metrics(result, split.kind, false, {&whole, 1}, options);
  if (decode_examples > 0) {
    const auto tokens = decode_tokens(model, split, decode_examples, options, team);
    const std::vector<ExampleScore> outputs = written_examples(task, split, tokens);
    result.outputs = mapped(outputs, &ExampleScore::output);
    result.right = mapped(outputs, &ExampleScore::right);
    result.answers = answer_scores(*split.source, tokens);
    add_metrics(result, split.kind, true, outputs, options);
    result.by_type = type_scores(split, task.type_groups, result.right);
    if (measurable(split.kind).labels) {
      result.confusion = confusion_json(outputs);
    }
  }
  result.seconds = seconds_since(begin);
  return result;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
