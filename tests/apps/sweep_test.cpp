// tapehead sweep: parallel runs, despite kills and failures, equal separate trainings bit for bit.
#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

constexpr std::string_view tiny =
    "set: {task.train_examples: 300, task.validation_examples: 20, task.test_examples: 30,\n"
    "  model.d_model: 8, model.layers: 1, training.batch_tokens: 256, training.warmup: 5,\n"
    "  training.checkpoint_every: 5, evaluation.every: 10, ";

class Sweep : public ProgramRuns {
 protected:
  // `more` holds further options of `set`, and the rest of the file.
  void write(const std::string& more) const {
    std::ofstream(here / "heads.yaml") << "config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n"
                                       << tiny << more;
  }
  ProgramResult sweep(const Arguments& options = {}) const {
    return here.run(Arguments{"sweep", "heads.yaml", "--run", "s"} + options);
  }
  nlohmann::json results() const {
    return nlohmann::json::parse(content_of(here / "s/results.json"));
  }
  // Trains the run of the plan separately and compares.
  void expect_as_alone(const nlohmann::json& run) const {
    const std::string name = run["name"];
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", "alone"};
    set_options(arguments, run["overrides"].get<Arguments>());
    arguments.emplace_back("--overwrite");
    const ProgramResult alone = here.run(arguments);
    ASSERT_EQ(alone.exit_code, 0) << alone.errors;
    expect_same_file(here / "alone/config.yaml", here / "s" / name / "config.yaml");
    expect_same_runs(here / "alone", here / "s" / name);
  }
  bool has_checkpoint(const std::string& run, int step) const {
    return fs::exists(step_checkpoint(here / "s" / run, step));
  }
};

TEST_F(Sweep, makes_the_bits_of_runs_that_stand_alone_and_does_none_of_them_twice) {
  write("training.steps: 20}\nseeds: 2\naxes: {model.heads: [1, 2]}\n");
  const ProgramResult first = sweep({"--parallel", "3"});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.errors, HasSubstr("2 cells, 4 runs, 0 of them finished before, in s"));
  EXPECT_THAT(first.output,
              AllOf(HasSubstr("model.heads"), HasSubstr("2/2"), HasSubstr("best: "),
                    HasSubstr("in s: cells.csv, runs.csv, results.json, report.html")));
  const auto runs = results()["runs"];
  ASSERT_EQ(runs.size(), 4U);
  for (const auto& run : runs) {
    expect_as_alone(run);
    EXPECT_EQ(run["steps"], 20);
  }
  const auto evaluated = nlohmann::json::parse(here.run({"evaluate", "alone", "--json"}).output);
  for (const std::string metric : {"loss", "token_accuracy", "sequence_accuracy", "bleu", "chrf"}) {
    EXPECT_NEAR(evaluated[metric], runs[3][metric], 1e-5) << metric;
  }
  const auto log = content_of(here / "s/model.heads=1,seed=1.log");
  const ProgramResult again = sweep();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.errors, HasSubstr("4 of them finished before"));
  EXPECT_EQ(again.output, first.output);
  EXPECT_EQ(content_of(here / "s/model.heads=1,seed=1.log"), log);
  // A new value adds runs; existing runs are kept.
  write("training.steps: 20}\nseeds: 2\naxes: {model.heads: [1, 2, 4]}\n");
  EXPECT_THAT(sweep().errors, HasSubstr("3 cells, 6 runs, 4 of them finished before"));
  EXPECT_EQ(content_of(here / "s/model.heads=1,seed=1.log"), log);
}

// One table of new runs and of runs whose version counted all pairs, whatever the pattern.
TEST_F(Sweep, compares_cost_by_the_pairs_that_patterns_allow) {
  write("training.steps: 10}\naxes: {attention.pattern: [full, window 1]}\n");
  ASSERT_EQ(sweep().exit_code, 0);
  const auto costs = [&] {
    const auto cells = results()["cells"];
    std::vector<double> means;
    for (const auto& cell : cells) {
      means.push_back(cell["multiply_adds"]["mean"]);
    }
    return means;
  };
  const std::vector<double> before = costs();
  ASSERT_EQ(before.size(), 2U);
  EXPECT_GT(before[0], before[1]);
  const fs::path file =
      here / "s" / results()["runs"][0]["name"].get<std::string>() / "scores.jsonl";
  std::string scores = content_of(file);
  const std::size_t begin = scores.find("\"multiply_adds_per_token\":");
  const std::size_t end = scores.find("\"steps\":");
  ASSERT_NE(begin, std::string::npos);
  scores.replace(begin, end - begin, "\"multiply_adds_per_token\":1.0,");
  std::ofstream(file) << scores;
  const ProgramResult again = sweep();
  EXPECT_THAT(again.errors, HasSubstr("2 of them finished before"));
  EXPECT_EQ(costs(), before);
  here.output({"report", "s"});
}

TEST_F(Sweep, goes_on_after_a_kill_and_after_a_stop_to_the_same_bits) {
  write("training.steps: 600}\nseeds: [5]\naxes: {model.heads: [1, 2]}\n");
  for (const auto& [signal, step] : {std::pair(SIGKILL, 10), std::pair(SIGTERM, 100)}) {
    Program program({"sweep", "heads.yaml", "--run", "s", "--parallel", "2"}, here.path());
    EXPECT_TRUE(wait_until([&] {
      const std::string metrics = content_of(here / "s/model.heads=2,seed=5/metrics.jsonl");
      return metrics.find(fmt::format("\"step\":{},", step)) != std::string::npos;
    }));
    program.kill(signal);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.errors;
    if (signal == SIGTERM) {
      EXPECT_THAT(result.errors, AllOf(HasSubstr("stopped, 0 of 2 runs finished; continue with: "),
                                       HasSubstr("sweep heads.yaml --run s")));
    }
    EXPECT_FALSE(has_checkpoint("model.heads=2,seed=5", 600)) << "too late to show anything";
  }
  const ProgramResult end = sweep();
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  const auto ended = results();
  for (const auto& run : ended["runs"]) {
    expect_as_alone(run);
    EXPECT_THAT(content_of(here / "s" / (run["name"].get<std::string>() + ".log")),
                ContainsRegex("resuming .* at step [1-9]"));
  }
}

TEST_F(Sweep, an_axis_that_names_no_option_is_refused_before_anything_is_made) {
  write("training.steps: 20}\naxes:\n  model.heads: [1]\n  model.haeds: [1, 2]\n");
  const ProgramResult refused = sweep();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.errors,
            "error: heads.yaml:7:3: model.haeds: unknown option; did you mean model.heads?\n");
  EXPECT_FALSE(fs::exists(here / "s"));
}

TEST_F(Sweep, runs_that_could_not_begin_are_refused_before_anything_is_made) {
  const auto refusal = [&](const std::string& axes) {
    write("training.steps: 20}\naxes: {" + axes + "}\n");
    const ProgramResult refused = sweep();
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_FALSE(fs::exists(here / "s"));
    return refused.errors;
  };
  EXPECT_THAT(refusal("training.freeze: [[source.embedding], [nosuch]]"),
              HasSubstr("heads.yaml:5:46: training.freeze: the model has no parameter that nosuch "
                        "matches (the nearest: "));
  EXPECT_THAT(refusal("training.freeze: ['*']"),
              HasSubstr("heads.yaml:5:26: training.freeze: it leaves no parameter to train"));
  EXPECT_EQ(refusal("model.init_from: ['', nosuch]"),
            "error: heads.yaml:5:30: model.init_from: there is no run nosuch\n");
}

TEST_F(Sweep, runs_can_start_from_those_of_a_sweep_before_it) {
  write("training.steps: 10}\n");
  fs::copy(here / "heads.yaml", here / "first.yaml");
  write("training.steps: 10, model.init_from: s/first/seed=1}\n");
  here.output({"sweep", "first.yaml", "heads.yaml", "--run", "s"});
  EXPECT_THAT(content_of(here / "s/heads/seed=1.log"),
              HasSubstr("starting from the weights of s/first/seed=1"));
  // A run that has begun no longer needs the run it started from.
  fs::remove_all(here / "s/first");
  here.output({"sweep", "heads.yaml", "--run", "s/heads"});
}

TEST_F(Sweep, a_run_that_fails_does_not_stop_the_others) {
  write("training.epochs: 1}\naxes: {training.clip_norm: [1, 2], evaluation.batch_tokens: [64]}\n");
  fs::create_directories(here / "s");
  std::ofstream(here / "s/.sweep.lock") << "tapehead run, process 1\n";
  fs::create_directories(here / "s/training.clip_norm=1,evaluation.batch_tokens=64,seed=1");
  std::ofstream(here / "s/training.clip_norm=1,evaluation.batch_tokens=64,seed=1/mine") << "dear";
  const ProgramResult result = sweep();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("training.clip_norm=1,evaluation.batch_tokens=64,"
                                             "seed=1 failed (exit code 1)"),
                                   HasSubstr("is not a run")));
  EXPECT_THAT(result.errors, Not(HasSubstr("clip_norm=2,evaluation.batch_tokens=64,seed=1 fail")));
  EXPECT_EQ(results()["cells"].size(), 1U);
  EXPECT_TRUE(fs::exists(here / "s/training.clip_norm=1,evaluation.batch_tokens=64,seed=1/mine"));
}

TEST_F(Sweep, runs_of_another_config_are_not_taken_for_finished_ones) {
  write("training.steps: 10}\nsplit: validation\n");
  ASSERT_EQ(sweep().exit_code, 0);
  EXPECT_EQ(results()["runs"][0]["split"], "validation");
  write("training.steps: 20}\nsplit: validation\n");
  const ProgramResult refused = sweep();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("run s/seed=1 exists with another config"),
                                    HasSubstr("training.steps: 10, not 20")));
  // Tests another split with the existing weights.
  write("training.steps: 10}\nsplit: train\n");
  EXPECT_EQ(sweep().exit_code, 0);
  EXPECT_EQ(results()["runs"][0]["examples"], 300);
}

TEST_F(Sweep, runs_of_other_data_are_not_compared_with_new_ones) {
  for (const std::string file :
       {"train.en", "train.de", "validation.en", "validation.de", "test.en", "test.de"}) {
    write_text(here / "data" / file, corpus_lines());
  }
  write_text(here / "text.yaml", corpus_config("data", "word"));
  write_text(here / "heads.yaml", "config: text.yaml\naxes: {model.heads: [1, 2]}\n");
  const ProgramResult first = sweep();
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  write_text(here / "heads.yaml", "config: text.yaml\naxes: {model.heads: [1, 2, 4]}\n");
  write_text(here / "data/train.de", corpus_lines() + "ab\n");
  write_text(here / "data/train.en", corpus_lines() + "ab\n");
  const ProgramResult refused = sweep();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.errors,
            "error: run s/model.heads=1,seed=1 began with other data (task.train_source: "
            "data/train.en has other bytes now); restore the file, choose another directory with "
            "--run DIR, or remove the run\n");
  EXPECT_FALSE(fs::exists(here / "s/model.heads=4,seed=1"));
  write_text(here / "data/train.de", corpus_lines());
  write_text(here / "data/train.en", corpus_lines());
  EXPECT_THAT(sweep().errors, HasSubstr("3 runs, 2 of them finished before"));
  // Without its files, a finished sweep still gives its results.
  fs::remove_all(here / "data");
  EXPECT_EQ(sweep().exit_code, 0);
}

// The sweep's figures of a run equal the program's figures of the run alone.
TEST_F(Sweep, studies_heads_and_further_splits) {
  const auto settings = [](const std::string& rest) {
    return "training.steps: 10, task.longer_min_length: 11, task.longer_max_length: 12,\n"
           "  task.longer_examples: 20}\nseeds: 1\nfurther_splits: [longer, train]\n" +
           rest;
  };
  write(settings("heads: [figures]\nshow: [cross.entropy, longer.loss]\n"));
  const ProgramResult first = sweep();
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.output, AllOf(HasSubstr("cross.entropy"), HasSubstr("longer.loss")));
  const auto run = results()["runs"][0];
  const auto ask = [&](const Arguments& arguments) {
    return nlohmann::json::parse(here.run(arguments).output);
  };
  const auto longer = ask({"evaluate", "s/seed=1", "--split", "longer", "--json"});
  EXPECT_NEAR(run["longer.loss"], longer["loss"], 1e-6);
  EXPECT_NEAR(run["longer.sequence_accuracy"], longer["sequence_accuracy"], 1e-6);
  EXPECT_TRUE(run.contains("train.loss"));
  EXPECT_FALSE(run.contains("train.sequence_accuracy"));
  EXPECT_TRUE(run.contains("longer.chrf"));
  double entropy = 0;
  const auto heads = ask({"heads", "s/seed=1", "--split", "test", "--json"});
  const auto cross = heads["attentions"].back();
  ASSERT_EQ(cross["attention"], "decoder.layers.0.cross");
  for (const auto& head : cross["heads"]) {
    entropy += head["entropy"].get<double>() / static_cast<double>(cross["heads"].size());
  }
  EXPECT_NEAR(run["cross.entropy"], entropy, 1e-6);
  EXPECT_GT(run["peak_memory_mb"], 5);
  EXPECT_GT(run["first_gradient_norm"], 0);
  EXPECT_FALSE(run.contains("heads.spare"));
  // Asked for more figures, the sweep inspects the run again without training it.
  write(settings("heads: [importance, pruning]\nshow: [heads.spair]\n"));
  const ProgramResult more = sweep();
  EXPECT_EQ(more.exit_code, 1);
  EXPECT_THAT(more.errors, AllOf(HasSubstr("1 run, 0 of them finished before"),
                                 HasSubstr("show: no run has a figure heads.spair; did you "
                                           "mean heads.spare?")));
  EXPECT_TRUE(results()["runs"][0].contains("heads.spare"));
  EXPECT_TRUE(results()["runs"][0].contains("heads.prunable"));
  EXPECT_TRUE(results()["runs"][0].contains("decoder.layers.0.cross.more_without"));
  EXPECT_EQ(results()["runs"][0]["steps"], 10);
  EXPECT_EQ(results()["runs"][0]["peak_memory_mb"], run["peak_memory_mb"]);
  // Asked for fewer figures, the sweep does nothing.
  write(settings("heads: [figures]\n"));
  EXPECT_THAT(sweep().errors, HasSubstr("1 run, 1 of them finished before"));
}

TEST_F(Sweep, several_files_are_read_before_any_is_begun) {
  write("training.steps: 10}\naxes: {model.heads: [1, 2]}\n");
  fs::copy(here / "heads.yaml", here / "more.yaml");
  const Arguments both{"sweep", "heads.yaml",       "more.yaml", "--run", "s",
                       "--set", "training.steps=6", "--set",     "seed=4"};
  std::ofstream(here / "more.yaml", std::ios::app) << "seedz: 2\n";
  EXPECT_THAT(here.run(both).errors, HasSubstr("seedz: unknown name; did you mean seeds?"));
  EXPECT_THAT(here.run({"sweep", "heads.yaml", "./heads.yaml"}).errors,
              HasSubstr("two of the sweeps would write into runs/heads"));
  EXPECT_FALSE(fs::exists(here / "s"));
  EXPECT_FALSE(fs::exists(here / "runs"));
  write("training.steps: 10}\naxes: {model.heads: [1, 2]}\n");
  fs::copy(here / "heads.yaml", here / "more.yaml", fs::copy_options::overwrite_existing);
  here.output(both);
  for (const std::string name : {"heads", "more"}) {
    const auto json = nlohmann::json::parse(content_of(here / "s" / name / "results.json"));
    ASSERT_EQ(json["runs"].size(), 2U);
    EXPECT_EQ(json["runs"][1]["steps"], 6);
    EXPECT_EQ(json["runs"][1]["seed"], 4);
  }
}

// Some job systems start programs like this; waitpid(2) then gives no exit codes.
TEST_F(Sweep, ends_where_the_ends_of_children_are_ignored) {
  write("training.steps: 10}\n");
  std::signal(SIGCHLD, SIG_IGN);
  Program program({"sweep", "heads.yaml", "--run", "s"}, here.path());
  std::signal(SIGCHLD, SIG_DFL);
  const ProgramResult end = program.wait();
  EXPECT_EQ(end.exit_code, 0) << end.errors;
}

TEST_F(Sweep, what_is_no_sweep_is_left_alone) {
  write("training.steps: 10}\n");
  fs::create_directory(here / "s");
  std::ofstream(here / "s/letter") << "dear";
  const ProgramResult refused = sweep();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("s contains something that is not a sweep"));
  EXPECT_EQ(std::distance(fs::directory_iterator(here / "s"), {}), 1);
}

// The command writes into the run's log, as in a sweep.
TEST_F(Sweep, scores_a_run_and_says_what_is_wrong_with_it) {
  here.output(tiny_training("a"));
  std::ofstream(here / "a/record.json") << "{";
  const ProgramResult scored = here.run({"score-run", "a"});
  EXPECT_EQ(scored.exit_code, 0);
  EXPECT_THAT(scored.errors, AllOf(StartsWith("warning: a/record.json"), HasSubstr("is ignored")));
}

}}  // namespace tapehead
