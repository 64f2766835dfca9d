// Mutated checkpoints, half of them with a correct checksum. Every reader works or names the fault
// and the file; it never crashes or reports a NaN.
#include "core/memory/pool.hpp"
#include "core/product/blas_kernels.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/report/run.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_run.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/loop/initial_weights.hpp"
#include "train/loop/replay.hpp"
#include "train/loop/training.hpp"
#include "train/output/text_table.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

namespace fs = std::filesystem;

constexpr const char* newest = "checkpoints/step_00000006.safetensors";

// A run with a replay next to its checkpoints.
void make_run(const TemporaryDirectory& here) {
  make_tiny_run(here, "r");
  const SavedRun run(here / "r", "");
  const Task task = run.task();
  const Split& train = task.split("train");
  write_replay(here / "r/replay.safetensors",
               {.config = run.config,
                .source_vocabulary = task.source_tokenizer->size(),
                .target_vocabulary = task.target_tokenizer->size(),
                .step = 4,
                .batches = {pack(*train.source, {0, 1, 2}), pack(*train.source, {3, 4})}},
               run.model.store);
}

void evaluate_run(const fs::path& run, const fs::path& checkpoint) {
  const SavedRun saved(run, checkpoint.string());
  const Task task = saved.task();
  Workers workers(1);
  saved.use([&] {
    const Evaluation result =
        evaluate(saved.model, task, task.split("test"), saved.config.evaluation, 4, workers);
    expect_figures(evaluation_json(result));
  });
}

// A resume may skip a checkpoint for an older one, with a warning that names it.
void resume_run(const fs::path& run) {
  const Logged log;
  const RunDirectory directory = RunDirectory::open(run);
  Config config = load_config(run / "config.yaml").config;
  config.training.steps = 7;
  const Task task = make_task(config, config.task, run);
  const auto sink = run_sink({.files = directory.files(), .resume = true});
  TrainingRun training(config, task, plan_run(config, task), *sink, prepare_blas(),
                       {.resume = true, .threads = 1});
  if (training.step() != 6 && log.text().find(newest) == std::string::npos) {
    throw std::logic_error("a checkpoint was passed by without a warning");
  }
  try {
    training.run();
  } catch (const NumericError& error) {
    throw NumericError(newest + std::string(": ") + error.what());  // adds its name
  }
}

// Reads the run's files as the commands do.
void use(const fs::path& run, const fs::path& mutated, Choices& choices) {
  if (mutated.filename() == "replay.safetensors") {
    return static_cast<void>(replay_step(mutated, 1));
  }
  switch (choices.below(4)) {
    case 0:
      return evaluate_run(run, mutated);
    case 1:
      return expect_figures(
          report_run({.run = run,
                      .checkpoint = mutated.string(),
                      .effort = {.watched = 4, .importance = 40, .pruning = 0}})["heads"]);
    case 2: {
      Config config = load_config(run / "config.yaml").config;
      config.model.init_from = run.string();
      return check_initial_weights(config, make_task(config, config.task, run));
    }
    default:
      return resume_run(run);
  }
}

// The fault of a case; empty if there is none.
std::string fault_of(const TemporaryDirectory& here, std::uint64_t number) {
  const fs::path run = here / "copy";
  fs::remove_all(run);
  fs::copy(here / "r", run, fs::copy_options::recursive);
  Choices choices(number);
  const std::vector<std::string> files{
      newest, "checkpoints/best.safetensors", "checkpoints/average.safetensors",
      "checkpoints/weights_00000006.safetensors", "replay.safetensors"};
  const fs::path mutated = run / choices.of(files);
  mutate_tensor_file(mutated, choices);
  try {
    use(run, mutated, choices);
    return "";
  } catch (const std::exception& error) {
    const std::string message = error.what();
    const bool ours = dynamic_cast<const IoError*>(&error) != nullptr ||
                      dynamic_cast<const NumericError*>(&error) != nullptr ||
                      dynamic_cast<const ConfigError*>(&error) != nullptr;
    // The average is made from the last weights; the error may name it instead.
    const bool named = message.find(mutated.filename().string()) != std::string::npos ||
                       message.find("average.safetensors") != std::string::npos;
    return ours && named ? "" : fmt::format("{}: {}", mutated.filename().string(), message);
  }
}

TEST(ProveFiles, mutated_checkpoints_are_used_or_refused_by_name) {
  const ProgramDirectory here;
  make_run(here);
  const auto cases = static_cast<std::uint64_t>(proof_cases(50, 4000));
  expect_no_faults(here, cases, [&](std::uint64_t number) {
    spdlog::set_level(spdlog::level::warn);
    checks().finite = false;  // as in the program
    return fault_of(here, number);
  });
  tell_figures(fmt::format("files: {} mutated checkpoints were used or refused by name", cases));
}

// The same for the whole program, with its exit codes and output.
TEST(ProveFiles, commands_end_in_order_on_mutated_checkpoints) {
  const ProgramDirectory here;
  make_run(here);
  const Index cases = proof_cases(5, 200);
  for (Index number = 0; number < cases; ++number) {
    Choices choices(static_cast<std::uint64_t>(1'000'000 + number));
    const fs::path file = here / "copy/checkpoints/best.safetensors";
    fs::remove_all(here / "copy");
    fs::copy(here / "r", here / "copy", fs::copy_options::recursive);
    mutate_tensor_file(file, choices);
    const std::vector<Arguments> commands{
        {"evaluate", "copy", "--checkpoint", file.string()},
        {"heads", "copy", "--split", "test", "--checkpoint", file.string()},
        {"prune", "copy", "smaller", "--count", "1", "--overwrite", "--checkpoint", file.string()},
        {"report", "copy", "--checkpoint", file.string()},
        {"translate", "copy", "--checkpoint", file.string()}};
    const Arguments& command = commands[static_cast<std::size_t>(number) % commands.size()];
    const ProgramResult result = here.run(command, "1 2 3\n");
    SCOPED_TRACE(fmt::format("{} {}: {}", number, command[0], result.errors));
    EXPECT_THAT(result.exit_code, AnyOf(0, 1));
    EXPECT_EQ(result.exit_code != 0, result.errors.find("error: ") != std::string::npos);
    EXPECT_THAT(result.errors, HasSubstr(result.exit_code == 0 ? "" : "best.safetensors"));
    EXPECT_THAT(result.output, Not(HasSubstr("nan")));
  }
  tell_figures(fmt::format("files: {} commands ended in order on mutated checkpoints", cases));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
