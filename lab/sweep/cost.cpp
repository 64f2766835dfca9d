#include "lab/sweep/cost.hpp"

#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "train/config/config.hpp"
#include "train/options/application.hpp"
#include "train/plan/step_flops.hpp"
#include "train/run/data.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

// Uses the training split as one step: the cost of a token does not depend on the batches.
double multiply_adds_per_token(const Config& config, const Task& task) {
  const auto train = training_epoch(task, config.training.batching(), config.seed, 0).source;
  const StepRows rows = mean_rows(*train, 1, config.training.memory);
  return step_flops(config.model, task.target_tokenizer->size(), rows, CountedPairs::allowed) / 2 /
         rows.labels;
}

void update_cost(RunScores& scores, const std::filesystem::path& run) {
  if (scores.multiply_adds_per_token) {
    return;
  }
  const Config config = load_config(RunFiles{run}.config()).config;
  const Task task =
      make_task(find_run_data({run}, config.task, {}),
                {.seed = config.seed, .tokenizers = run, .layout = layout_of(config.model)});
  scores.multiply_adds_per_token = multiply_adds_per_token(config, task);
}

}  // namespace tapehead
