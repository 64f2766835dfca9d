// tapehead train with subword dropout: each epoch tokenises the sources anew.
#include <nlohmann/json.hpp>

#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

// The target tokens of each batch over several epochs: longer sources give other batches.
std::vector<Index> tokens_of_epochs(const Config& config, Index epochs) {
  const Task task = make_task(config.task, {.seed = config.seed});
  std::vector<Index> tokens;
  for (Index epoch = 0; epoch < epochs; ++epoch) {
    const std::shared_ptr<const Source> source = task.training(epoch);
    for (const std::vector<Index>& batch :
         epoch_batches(*source, config.training.batching(), config.seed, epoch)) {
      tokens.push_back(static_cast<Index>(pack(*source, batch).labels.count()));
    }
  }
  return tokens;
}

class SubwordDropoutRun : public ProgramRuns {
 protected:
  void SetUp() override {
    const std::string data = TAPEHEAD_FIXTURES "/text/";
    std::ofstream(here / "text.yaml")
        << "task: {name: parallel_text, train_source: " << data
        << "train.en, train_target: " << data << "train.de, validation_source: " << data
        << "test.en, validation_target: " << data << R"(test.de,
       vocabulary: 120, subword_dropout: 0.3}
model: {d_model: 16, layers: 1}
training: {batch_tokens: 300, epochs: 3, schedule: constant, checkpoint_every: 4}
evaluation: {decode: false, metric: loss, every: 4}
run: {report: false}
)";
  }

  void train(const std::string& run, const Arguments& options = {}) {
    const Arguments arguments = Arguments{"train", "text.yaml", "--run", run} + options;
    here.output(arguments);
  }

  Config config() const { return load_config(here / "text.yaml").config; }
};

TEST_F(SubwordDropoutRun, trains_on_other_cuts_in_each_epoch) {
  train("a");
  std::vector<Index> tokens;
  std::ifstream metrics(here / "a/metrics.jsonl");
  for (std::string text; std::getline(metrics, text);) {
    const auto line = nlohmann::json::parse(text);
    if (line.contains("tokens")) {
      tokens.push_back(line["tokens"]);
    }
  }
  EXPECT_EQ(tokens, tokens_of_epochs(config(), 3));
}

TEST_F(SubwordDropoutRun, goes_on_in_the_middle_of_a_later_epoch) {
  const auto first_epoch = static_cast<int>(tokens_of_epochs(config(), 1).size());
  const int middle = (first_epoch / 4 + 1) * 4;  // in the second epoch, where all runs evaluate
  const int steps = middle + 4;
  train("unbroken", {"--set", "training.steps=" + std::to_string(steps)});
  train("broken", {"--set", "training.steps=" + std::to_string(middle)});
  train("broken", {"--resume", "--set", "training.steps=" + std::to_string(steps)});
  expect_same_file(step_checkpoint(here / "unbroken", steps),
                   step_checkpoint(here / "broken", steps));
}

}}  // namespace tapehead
