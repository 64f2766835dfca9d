#include "train/plan/rehearsal.hpp"

#include "core/files/process.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/model_training.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Lists = std::vector<std::vector<Index>>;  // the examples of each batch

constexpr double timed_seconds = 1.5;
constexpr Index fewest_steps = 3;
constexpr Index most_steps = 60;

Split only(const Split& split, const Lists& batches, Index count) {
  const auto numbers =
      mapped(batches | std::views::take(count) | std::views::join, std::identity());
  return {.name = split.name, .source = part_of(split.source, numbers), .kind = split.kind};
}

// The length of the longest target, with its end mark, and the average excess of targets over the
// lengths of their sources, at least 0.
std::pair<Index, Index> longest_and_extra(const Source& source) {
  Index longest = 1;
  double extra = 0;
  for (Index i = 0; i < source.size(); ++i) {
    const Sequence sequence = source.at(i);
    longest = std::max(longest, sequence.predicted);
    extra += static_cast<double>(sequence.predicted - 1 - sequence.source.size());
  }
  const auto count = static_cast<double>(std::max<Index>(1, source.size()));
  return {longest, std::max<Index>(0, static_cast<Index>(std::ceil(extra / count)))};
}

class Rehearsing {
 public:
  Rehearsing(const Config& config, const Task& task, Index threads)
      : config_(config),
        task_(task),
        workers_(threads),
        model_(config, task),
        loss_(training_loss(model_, config)),
        trainer_(trainer_of(model_, config, workers_)),
        epoch_(training_epoch(task, config.training.batching(), config.seed, 0)),
        largest_(largest_batch(epoch_)) {}

  void look_at_parts(Rehearsal& result, Index steps_per_epoch) const {
    result.rows = mean_rows(*epoch_.source, steps_per_epoch, config_.training.memory);
    result.parts = model_parts(model_.transformer, model_.store, result.rows);
    measure_activations(result.parts, model_, config_, epoch_.batch(largest_));
  }

  void largest_step() { trainer_.step(step_with(largest_), loss_); }

  // Runs the first steps of a training, because the allocator's state depends on earlier steps.
  // They are typical, because an epoch's order is random. They give the time of a multiply-add.
  void time_steps(Rehearsal& result) {
    const auto work_of = [&](const StepRows& rows) {
      double sum = 0;
      for (const ModelPart& part : model_parts(model_.transformer, model_.store, rows)) {
        sum += part.multiply_adds;
      }
      return sum;
    };
    double seconds = 0;
    double work = 0;
    const auto begin = Clock::now();
    while (result.timed_steps < fewest_steps ||
           (result.timed_steps < most_steps && seconds_since(begin) < timed_seconds)) {
      const std::vector<Batch> step =
          step_with(static_cast<std::size_t>(result.timed_steps * config_.training.accumulate) %
                    epoch_.batches.size());
      const auto start = Clock::now();
      trainer_.step(step, loss_);
      seconds += seconds_since(start);
      for (const Batch& batch : step) {
        work += work_of(rows_of(batch, config_.training.memory));
      }
      ++result.timed_steps;
    }
    result.seconds_per_step = seconds / work * work_of(result.rows);
  }

  // Evaluates the validation split and, as a training does at its end, final_splits(), while the
  // weights of a second model are in memory.
  void evaluations() {
    const EvaluationOptions& options = config_.evaluation;
    const Split& validation = task_.split("validation");
    const auto all = validation.outputs();
    const Index some = options.decode_examples == 0 ? all : std::min(all, options.decode_examples);
    evaluate_largest(validation, 1, options.decode ? some : 0);
    const Model tested(config_, task_, FirstWeights::zeros);
    for (const Split& split : final_splits(task_)) {
      evaluate_largest(split, options.beam, split.outputs());
    }
  }

  // Additional memory: the weights as stored in a file and, if they are averaged, their sums.
  std::size_t checkpoint_bytes() const {
    const std::size_t sum = config_.training.average_last > 0 ? sizeof(double) : 0;
    return static_cast<std::size_t>(model_.store.size()) * (sum + sizeof(Scalar));
  }

 private:
  // The batches of the step that contains this batch.
  std::vector<Batch> step_with(std::size_t batch) const {
    const auto together = static_cast<std::size_t>(config_.training.accumulate);
    const std::size_t first = batch / together * together;
    const std::size_t end = std::min(epoch_.batches.size(), first + together);
    return mapped(std::views::iota(first, end), [&](std::size_t i) { return epoch_.batch(i); });
  }

  // Like evaluate() on the split, but each thread reads only one group, until its lanes' memory is
  // full.
  void evaluate_lanes(const Split& split) {
    const EvaluationOptions& options = config_.evaluation;
    const EvaluationLanes lanes = evaluation_lanes(split, *options.memory, options.batch_tokens);
    const auto groups = evaluation_groups(lanes, config_.model.d_model);
    const Index batches = *options.memory / lanes.context + 2;
    workers_.run(std::min(workers_.threads(), std::ssize(groups)), [&](Index i) {
      read_lanes(
          model_, lanes, groups[static_cast<std::size_t>(i)],
          [](const Batch&, const CrossEntropy&) {}, batches);
    });
  }

  // Like evaluate() on the split, but with only a few batches for each thread.
  void evaluate_largest(const Split& split, Index beam, Index decoded) {
    const Index threads = workers_.threads();
    const EvaluationOptions& options = config_.evaluation;
    if (options.memory.value_or(0) > 0) {
      evaluate_lanes(split);
      return;
    }
    const Split read = only(split, ordered_batches(*split.source, options.batch_tokens), threads);
    evaluate(model_, task_, read, options, 0, workers_);
    if (decoded == 0) {
      return;
    }
    const Split part = first_examples(split, decoded);
    constexpr Index each = 3;  // because the allocator's state depends on earlier batches
    const Split written = only(
        part, decoding_batches(*part.source, options.batch_tokens, beam, threads), each * threads);
    const auto [longest, extra] = longest_and_extra(*written.source);
    DecodingOptions decoding = decoding_options(options);
    decoding.beam = beam;
    decoding.end = -1;
    decoding.max_extra_length = std::min(options.max_extra_length, extra);
    decoding.max_length = longest;
    decode_examples(model_.transformer, model_.store, *written.source, options.batch_tokens,
                    decoding, workers_);
  }

  const Config& config_;
  const Task& task_;
  Workers workers_;
  Model model_;
  LossFunction loss_;
  Trainer trainer_;
  TrainingEpoch epoch_;
  std::size_t largest_;
};

}  // namespace

Rehearsal rehearse(const Config& config, const Task& task, const RunPlan& plan, Index threads,
                   const std::function<void(const char*)>& say) {
  say("making the model");
  Rehearsing rehearsing(config, task, threads);
  Rehearsal result;
  rehearsing.look_at_parts(result, plan.steps_per_epoch);  // first, as in a training
  say("going through the largest step");
  rehearsing.largest_step();
  say("timing steps");
  rehearsing.time_steps(result);
  const std::size_t after_steps = process_memory().resident;
  say("evaluating the largest batches");
  rehearsing.evaluations();
  result.peak_bytes = std::max(process_memory().peak, after_steps + rehearsing.checkpoint_bytes());
  return result;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
