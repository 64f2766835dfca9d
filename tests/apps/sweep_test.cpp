// tapehead sweep: parallel runs, despite kills and failures, equal separate trainings bit for bit.
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Sweep : public ProgramRuns {
 protected:
  void write(const std::string& more, const std::string& file = "heads.yaml") const {
    here.write(file, tiny_sweep(more));
  }
  // The messages of a sweep that must end with this exit code.
  std::string sweep(int exit_code = 0) const {
    const ProgramResult result = here.run("sweep heads.yaml --run s");
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return result.errors;
  }
  nlohmann::json results(const std::string& directory = "s") const {
    return nlohmann::json::parse(content_of(here / directory / "results.json"));
  }
  // Trains the run of the plan separately and compares.
  void expect_as_alone(const nlohmann::json& run) const {
    const std::string name = run["name"];
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", "alone",
                        "--overwrite"};
    set_options(arguments, run["overrides"].get<Arguments>());
    here.output(arguments);
    expect_same_file(here / "alone/config.yaml", here / "s" / name / "config.yaml");
    expect_same_runs(here / "alone", here / "s" / name);
  }
};

TEST_F(Sweep, makes_the_bits_of_runs_that_stand_alone_and_does_none_of_them_twice) {
  write("training.steps: 20}\nseeds: 2\naxes: {model.heads: [1, 2]}\n");
  const ProgramResult first = run("sweep heads.yaml --run s --parallel 3");
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
  const auto evaluated = json_of("evaluate alone --json");
  for (const std::string metric : {"loss", "token_accuracy", "sequence_accuracy", "bleu", "chrf"}) {
    EXPECT_NEAR(evaluated[metric], runs[3][metric], 1e-5) << metric;
  }
  const auto log = content_of(here / "s/model.heads=1,seed=1.log");
  const ProgramResult again = run("sweep heads.yaml --run s");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.errors, HasSubstr("4 of them finished before"));
  EXPECT_EQ(again.output, first.output);
  // A new value adds runs; existing runs are kept.
  write("training.steps: 20}\nseeds: 2\naxes: {model.heads: [1, 2, 4]}\n");
  EXPECT_THAT(sweep(), HasSubstr("3 cells, 6 runs, 4 of them finished before"));
  EXPECT_EQ(content_of(here / "s/model.heads=1,seed=1.log"), log);
}

// One table of new runs and of runs whose version counted all pairs, whatever the pattern.
TEST_F(Sweep, compares_cost_by_the_pairs_that_patterns_allow) {
  write("training.steps: 10}\naxes: {attention.pattern: [full, window 1]}\n");
  const auto costs = [&] {
    const auto cells = results()["cells"];
    std::vector<double> means;
    for (const auto& cell : cells) {
      means.push_back(cell["multiply_adds"]["mean"]);
    }
    return means;
  };
  sweep();
  const std::vector<double> before = costs();
  ASSERT_EQ(before.size(), 2U);
  EXPECT_GT(before[0], before[1]);
  const std::string file = "s/" + results()["runs"][0]["name"].get<std::string>() + "/scores.jsonl";
  std::string scores = content_of(here / file);
  const std::size_t begin = scores.find("\"multiply_adds_per_token\":");
  ASSERT_NE(begin, std::string::npos);
  here.write(file, scores.replace(begin, scores.find("\"steps\":") - begin,
                                  "\"multiply_adds_per_token\":1.0,"));
  EXPECT_THAT(sweep(), HasSubstr("2 of them finished before"));
  EXPECT_EQ(costs(), before);
  here.output("report s");
}

TEST_F(Sweep, goes_on_after_a_kill_and_after_a_stop_to_the_same_bits) {
  write("training.steps: 600}\nseeds: [5]\naxes: {model.heads: [1, 2]}\n");
  for (const auto& [signal, step] : {std::pair(SIGKILL, 10), std::pair(SIGTERM, 100)}) {
    Program program("sweep heads.yaml --run s --parallel 2", here.path());
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
    EXPECT_FALSE(fs::exists(step_checkpoint(here / "s/model.heads=2,seed=5", 600)))
        << "too late to show anything";
  }
  sweep();
  const auto ended = results();
  for (const auto& run : ended["runs"]) {
    expect_as_alone(run);
    EXPECT_THAT(content_of(here / "s" / (run["name"].get<std::string>() + ".log")),
                ContainsRegex("resuming .* at step [1-9]"));
  }
}

TEST_F(Sweep, runs_that_could_not_begin_are_refused_before_anything_is_made) {
  for (const auto& [axes, error] :
       {std::pair("model.heads: [1], model.haeds: [1, 2]",
                  ":5:26: model.haeds: unknown option; did you mean model.heads?\n"),
        {"training.freeze: [[source.embedding], [nosuch]]",
         ":5:46: training.freeze: the model has no parameter that nosuch matches (the nearest: "},
        {"training.freeze: ['*']", ":5:26: training.freeze: no parameter is left to train"},
        {"model.init_from: ['', nosuch]",
         ":5:30: model.init_from: there is no run nosuch; a run is given as its directory\n"}}) {
    write(fmt::format("training.steps: 20}}\naxes: {{{}}}\n", axes));
    EXPECT_THAT(sweep(2), HasSubstr(std::string("error: heads.yaml") + error));
    EXPECT_FALSE(fs::exists(here / "s"));
  }
  fs::create_directory(here / "s");
  here.write("s/letter", "dear");
  write("training.steps: 10}\n");
  EXPECT_THAT(sweep(1), HasSubstr("s contains something that is not a sweep"));
  EXPECT_EQ(std::distance(fs::directory_iterator(here / "s"), {}), 1);
}

TEST_F(Sweep, runs_can_start_from_those_of_a_sweep_before_it) {
  write("training.steps: 10}\n", "first.yaml");
  write("training.steps: 10, model.init_from: s/first/seed=1}\n");
  here.output("sweep first.yaml heads.yaml --run s");
  EXPECT_THAT(content_of(here / "s/heads/seed=1.log"),
              HasSubstr("starting from the weights of s/first/seed=1"));
  // A run that has begun no longer needs the run it started from.
  fs::remove_all(here / "s/first");
  here.output("sweep heads.yaml --run s/heads");
}

TEST_F(Sweep, a_run_that_fails_does_not_stop_the_others) {
  write("training.epochs: 1}\naxes: {training.clip_norm: [1, 2], evaluation.batch_tokens: [64]}\n");
  const std::string other = "training.clip_norm=1,evaluation.batch_tokens=64,seed=1";
  fs::create_directories(here / "s" / other);
  here.write("s/.sweep.lock", "tapehead run, process 1\n");
  here.write("s/" + other + "/mine", "dear");
  EXPECT_THAT(sweep(1),
              AllOf(HasSubstr(other + " failed (exit code 1)"), HasSubstr("is not a run"),
                    Not(HasSubstr("clip_norm=2,evaluation.batch_tokens=64,seed=1 fail"))));
  EXPECT_EQ(results()["cells"].size(), 1U);
  EXPECT_TRUE(fs::exists(here / "s" / other / "mine"));
}

TEST_F(Sweep, runs_of_another_config_are_not_taken_for_finished_ones) {
  write("training.steps: 10}\nsplit: validation\n");
  sweep();
  EXPECT_EQ(results()["runs"][0]["split"], "validation");
  write("training.steps: 20}\nsplit: validation\n");
  EXPECT_THAT(sweep(1), AllOf(HasSubstr("run s/seed=1 exists with another config"),
                              HasSubstr("training.steps: 10, not 20")));
  // Tests another split with the existing weights.
  write("training.steps: 10}\nsplit: train\n");
  sweep();
  EXPECT_EQ(results()["runs"][0]["examples"], 300);
}

TEST_F(Sweep, runs_of_other_data_are_not_compared_with_new_ones) {
  const auto write_training_pairs = [&](const std::string& more) {
    write_text(here / "data/train.en", corpus_lines() + more);
    write_text(here / "data/train.de", corpus_lines() + more);
  };
  write_corpus(here / "data");
  here.write("text.yaml", corpus_config("data", "word"));
  here.write("heads.yaml", "config: text.yaml\naxes: {model.heads: [1, 2]}\n");
  sweep();
  here.write("heads.yaml", "config: text.yaml\naxes: {model.heads: [1, 2, 4]}\n");
  write_training_pairs("ab\n");
  EXPECT_THAT(sweep(1), AllOf(HasSubstr("run s/model.heads=1,seed=1 began with other data "
                                        "(task.train_source: data/train.en has changed since)"),
                              HasSubstr("--run DIR")));
  EXPECT_FALSE(fs::exists(here / "s/model.heads=4,seed=1"));
  write_training_pairs("");
  EXPECT_THAT(sweep(), HasSubstr("3 runs, 2 of them finished before"));
  // Without its files, a finished sweep still gives its results.
  fs::remove_all(here / "data");
  sweep();
}

// The sweep's figures of a run equal the program's figures of the run alone.
TEST_F(Sweep, studies_heads_and_further_splits) {
  const auto write_settings = [&](const std::string& rest) {
    write(
        "training.steps: 10, task.longer_min_length: 11, task.longer_max_length: 12,\n"
        "  task.longer_examples: 20}\nseeds: 1\nfurther_splits: [longer, train]\n" +
        rest);
  };
  write_settings("heads: [figures]\nshow: [cross.entropy, longer.loss]\n");
  EXPECT_THAT(here.output("sweep heads.yaml --run s"),
              AllOf(HasSubstr("cross.entropy"), HasSubstr("longer.loss")));
  const auto run = results()["runs"][0];
  const auto longer = json_of("evaluate s/seed=1 --split longer --json");
  EXPECT_NEAR(run["longer.loss"], longer["loss"], 1e-6);
  EXPECT_NEAR(run["longer.sequence_accuracy"], longer["sequence_accuracy"], 1e-6);
  for (const auto& [figure, there] : {std::pair("train.loss", true),
                                      {"train.sequence_accuracy", false},
                                      {"longer.chrf", true},
                                      {"heads.spare", false}}) {
    EXPECT_EQ(run.contains(figure), there) << figure;
  }
  double entropy = 0;
  const auto cross = json_of("heads s/seed=1 --split test --json")["attentions"].back();
  ASSERT_EQ(cross["attention"], "decoder.layers.0.cross");
  for (const auto& head : cross["heads"]) {
    entropy += head["entropy"].get<double>() / static_cast<double>(cross["heads"].size());
  }
  EXPECT_NEAR(run["cross.entropy"], entropy, 1e-6);
  EXPECT_GT(run["peak_memory_mb"], 5);
  EXPECT_GT(run["first_gradient_norm"], 0);
  // Asked for more figures, the sweep inspects the run again without training it.
  write_settings("heads: [importance, pruning]\nshow: [heads.spair]\n");
  EXPECT_THAT(sweep(1), AllOf(HasSubstr("1 run, 0 of them finished before"),
                              HasSubstr("show: no run has a figure heads.spair; did you "
                                        "mean heads.spare?")));
  const auto more = results()["runs"][0];
  for (const char* figure :
       {"heads.spare", "heads.prunable", "decoder.layers.0.cross.more_without"}) {
    EXPECT_TRUE(more.contains(figure)) << figure;
  }
  EXPECT_EQ(more["steps"], 10);
  EXPECT_EQ(more["peak_memory_mb"], run["peak_memory_mb"]);
  // Asked for fewer figures, the sweep does nothing.
  write_settings("heads: [figures]\n");
  EXPECT_THAT(sweep(), HasSubstr("1 run, 1 of them finished before"));
}

TEST_F(Sweep, several_files_are_read_before_any_is_begun) {
  const std::string both = "sweep heads.yaml more.yaml --run s --set training.steps=6 --set seed=4";
  const std::string heads = "training.steps: 10}\naxes: {model.heads: [1, 2]}\n";
  write(heads);
  write(heads + "seedz: 2\n", "more.yaml");
  EXPECT_THAT(here.complaint(both), HasSubstr("seedz: unknown name; did you mean seeds?"));
  EXPECT_THAT(here.complaint("sweep heads.yaml ./heads.yaml"),
              HasSubstr("two of the sweeps would write into runs/heads"));
  EXPECT_FALSE(fs::exists(here / "s"));
  EXPECT_FALSE(fs::exists(here / "runs"));
  write(heads, "more.yaml");
  here.output(both);
  for (const std::string name : {"s/heads", "s/more"}) {
    const auto runs = results(name)["runs"];
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1]["steps"], 6);
    EXPECT_EQ(runs[1]["seed"], 4);
  }
}

// Some job systems start programs like this; waitpid(2) then gives no exit codes.
TEST_F(Sweep, ends_where_the_ends_of_children_are_ignored) {
  write("training.steps: 10}\n");
  std::signal(SIGCHLD, SIG_IGN);
  Program program("sweep heads.yaml --run s", here.path());
  std::signal(SIGCHLD, SIG_DFL);
  const ProgramResult end = program.wait();
  EXPECT_EQ(end.exit_code, 0) << end.errors;
}

// The command writes into the run's log, as in a sweep.
TEST_F(Sweep, scores_a_run_and_says_what_is_wrong_with_it) {
  here.output(tiny_training("a"));
  here.write("a/record.json", "{");
  EXPECT_THAT(messages("score-run a"),
              AllOf(StartsWith("warning: a/record.json"), HasSubstr("is ignored")));
}

}}  // namespace tapehead
