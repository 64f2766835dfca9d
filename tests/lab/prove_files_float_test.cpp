// Run and sweep files that are damaged, changed with correct checksums, or not regular files. Every
// reader works or names the fault and the file.
#include <sys/stat.h>
#include <unistd.h>

#include <spdlog/spdlog.h>

#include "datasets/make_task.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "lab/run_scores.hpp"
#include "lab/sweep/directory.hpp"
#include "lab/sweep/score_run.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_run.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/experiment.hpp"
#include "train/loop/training.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_directory.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

void score(const fs::path& run) {
  Workers workers(1);
  write_scores(run, score_run(run, "test", {}, workers));
}

// A sweep with a finished run and a run that has not begun.
void make_sweep(const TemporaryDirectory& here) {
  fs::create_directories(here / "s");
  make_tiny_run(here, "s/r");
  score(here / "s/r");
  write_sweep_plan(here / "s",
                   {.config = "copy.yaml",
                    .axes = {"model.heads"},
                    .cells = {{"2"}, {"4"}},
                    .runs = {{.cell = 0, .name = "r", .overrides = {}, .config = {}},
                             {.cell = 1, .name = "later", .overrides = {}, .config = {}}},
                    .metric = Metric::loss,
                    .split = "test",
                    .show = {"parameters"}});
}

void resume(const fs::path& run) {
  const RunDirectory directory = RunDirectory::open(run);
  const Config config = load_config(run / "config.yaml").config;
  const Task task = make_task(config, config.task, run);
  const auto sink = run_sink({.files = directory.files(), .resume = true});
  TrainingRun training(config, task, plan_run(config, task), *sink, prepare_blas(),
                       {.resume = true, .threads = 1});
}

void use(const fs::path& sweep, Choices& choices) {
  const fs::path run = sweep / "r";
  switch (choices.below(5)) {
    case 0:
      report_page(report_run({.run = run, .effort = {.watched = 1}}));
      return;
    case 1:
      return score(run);
    case 2:
      return resume(run);
    case 3:
      load_config(run / "config.yaml", {"model.dropout=0.3"});
      return;
    default:
      report_page(report_sweep(sweep, sweep / "report.html"));
  }
}

// A copy of a directory in place of the copy for the case before.
fs::path fresh_copy(const TemporaryDirectory& here, const fs::path& directory) {
  fs::remove_all(here / "copy");
  fs::copy(here / directory, here / "copy", fs::copy_options::recursive);
  return here / "copy";
}

void damage_text(const fs::path& file, Choices& choices) {
  const std::string text = read_file(file);
  write_bytes(
      file, choices.below(2) == 0 ? damaged_text(text, choices) : with_other_number(text, choices));
}

// Whether an error of this type is about this file.
template <class Error>
bool names(const std::exception& error, const fs::path& file) {
  return dynamic_cast<const Error*>(&error) != nullptr &&
         std::string(error.what()).find(file.filename().string()) != std::string::npos;
}

// The error of an action, unless it names the fault.
template <class Action, class IsNamed>
std::string fault_of(const fs::path& file, const Action& action, const IsNamed& is_named) {
  try {
    action();
  } catch (const std::exception& error) {
    return is_named(error) ? "" : fmt::format("{}: {}", file.string(), error.what());
  }
  return "";
}

// A damaged config may be valid, with other data or more work. Such cases show nothing here.
bool is_another_config(const fs::path& file, const std::string& before) {
  try {
    const Config now = load_config(file).config;
    const Config then = parse_config(before, "before.yaml").config;
    return dump_config(now) != dump_config(then);
  } catch (const ConfigError&) {
    return false;
  }
}

TEST(ProveFiles, damaged_texts_of_a_run_are_read_or_refused_by_name) {
  const ProgramDirectory here;
  make_sweep(here);
  const std::vector<std::string> files{"sweep.json",      "r/scores.jsonl",
                                       "r/config.yaml",   "r/record.json",
                                       "r/times.jsonl",   "r/checkpoints/elapsed.json",
                                       "r/metrics.jsonl", "r/written.yaml"};
  const auto cases = static_cast<std::uint64_t>(proof_cases(50, 4000));
  expect_no_faults(here, cases, [&](std::uint64_t number) -> std::string {
    spdlog::set_level(spdlog::level::off);  // harmless faults give warnings
    Choices choices(number);
    const fs::path sweep = fresh_copy(here, "s");
    const fs::path file = sweep / choices.of(files);
    const std::string before = read_file(file);
    damage_text(file, choices);
    if (file.filename() == "config.yaml" && is_another_config(file, before)) {
      return "";
    }
    return fault_of(
        file, [&] { use(sweep, choices); },
        [&](const std::exception& error) {
          return names<IoError>(error, file) || names<ConfigError>(error, file);
        });
  });
  tell_figures(fmt::format("files: {} damaged texts of runs were read or refused by name", cases));
}

// Runs on a text in many documents, by characters and by SentencePiece, and on pairs of lines; one
// with a normalisation.
void make_runs(const ProgramDirectory& here) {
  const Arguments short_one{"task.documents=line", "training.steps=2",
                            "training.checkpoint_every=2", "evaluation.every=2"};
  here.output(text_training(here, "letters", short_one));
  Arguments pieces = short_one;
  pieces.insert(pieces.end(), {"task.tokenizer=unigram", "task.vocabulary=60"});
  here.output(text_training(here, "pieces", pieces));
  for (const std::string split : {"train", "validation", "test"}) {
    for (const std::string side : {".en", ".de"}) {
      write_text(here / "data" / (split + side), corpus_lines());
    }
  }
  write_text(here / "pairs.yaml", corpus_config((here / "data").string(), "byte_bpe", 2));
  here.output({"train", "pairs.yaml", "--run", "pairs", "--set", "task.vocabulary=270"});
  Arguments mapped{"train", "pairs.yaml", "--run", "mapped"};
  set_options(mapped, {"task.tokenizer=bpe", "task.vocabulary=20", "task.normalization=nfkc"});
  here.output(mapped);
}

void use_tokenizer(const Tokenizer& tokenizer) {
  for (const std::string text :
       {"a man in", "", "Zwei \xC3\xA4\xE2\x96\x81\xF0\x9F\x99\x82\n(x)", "\xff"}) {
    const std::vector<TokenId> tokens = tokenizer.encode(text);
    tokenizer.decode(tokens);
    tokenizer.unknown_parts(text);
    for (const TokenId token : tokens) {
      tokenizer.entry(token);
    }
  }
}

// Also evaluates other data, as with --other-data: the results must be numbers.
void measure(const fs::path& run) {
  const Tokenizers tokenizers = load_tokenizers(run);
  use_tokenizer(*tokenizers.source);
  use_tokenizer(*tokenizers.target);
  const SavedRun saved(run, "");
  const Task task = saved.task({.other = true});
  const Split& split = task.split("validation");
  const Index decoded = std::min<Index>(2, split.outputs());
  Workers workers(1);
  saved.use([&] {
    expect_figures(evaluation_json(
        evaluate(saved.model, task, split, saved.config.evaluation, decoded, workers)));
  });
  report_run({.run = run,
              .data = {.other = true},
              .effort = {.watched = 2, .importance = 0, .pruning = 0}});
}

// A message names a fault by the file, by the option whose file the run recorded or, if the
// tokenizer has changed, by the tokenizer.
template <class Action>
std::string fault_of(const fs::path& file, const Action& action) {
  return fault_of(file, action, [&](const std::exception& error) {
    return names<IoError>(error, file) || names<IoError>(error, "tokenizer") ||
           (file.filename() == "data.json" && names<IoError>(error, "task."));
  });
}

TEST(ProveFiles, changed_with_a_right_checksum_are_used_or_refused_by_name) {
  const ProgramDirectory here;
  make_runs(here);
  const Paths files{"letters/tokens/train.tokens", "letters/tokens/validation.tokens",
                    "pieces/tokens/train.tokens",  "letters/joint.vocabulary",
                    "pieces/joint.model",          "mapped/joint.model",
                    "pairs/joint.vocabulary",      "pairs/data.json"};
  const auto cases = static_cast<std::uint64_t>(proof_cases(150, 6000));
  expect_no_faults(here, cases, [&](std::uint64_t number) {
    spdlog::set_level(spdlog::level::off);
    Choices choices(2'000'000 + number);
    const fs::path file = choices.of(files);
    const fs::path run = fresh_copy(here, *file.begin());
    const fs::path changed = run / file.lexically_relative(*file.begin());
    if (changed.extension() == ".json") {
      damage_text(changed, choices);
    } else {
      change_sealed(changed, choices);
    }
    return fault_of(changed, [&] { measure(run); });
  });
  tell_figures(fmt::format("files: {} with a right checksum were used or refused by name", cases));
}

void read_further(const fs::path& run) {
  const RunFiles files{run};
  expect_unlocked(files.lock());
  read_record(files.record());
  load_config(find_run(run).config(), {"training.epochs=9"});
  seconds_until(files, 9);
  if (fs::exists(files.scores())) {
    read_scores(run);
  }
}

// A pipe without a writer, and a device without an end.
TEST(IrregularFiles, in_a_run_are_refused_by_name_or_passed_over) {
  const ProgramDirectory here;
  make_runs(here);
  const Paths runs{"letters", "pieces", "pairs"};
  const Paths files{"config.yaml",
                    "written.yaml",
                    "joint.vocabulary",
                    "joint.model",
                    "data.json",
                    "metrics.jsonl",
                    "times.jsonl",
                    "record.json",
                    "scores.jsonl",
                    ".lock",
                    "tokens/train.tokens",
                    "tokens/validation.tokens",
                    "checkpoints/best.safetensors",
                    "checkpoints/elapsed.json"};
  expect_no_faults(here, 2 * runs.size() * files.size(), [&](std::uint64_t number) -> std::string {
    spdlog::set_level(spdlog::level::off);
    ::alarm(60);
    const fs::path run = fresh_copy(here, runs[number / 2 % runs.size()]);
    const fs::path file = run / files[number / 2 / runs.size()];
    if (!fs::exists(file.parent_path())) {
      return "";
    }
    fs::remove(file);
    if (number % 2 == 0) {
      ::mkfifo(file.c_str(), 0600);
    } else {
      fs::create_symlink("/dev/zero", file);
    }
    return fault_of(file, [&] {
      read_further(run);
      measure(run);
    });
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
