// A command must reject an output that is one of its inputs, by any name or descriptor, and leave
// the input unchanged.
#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class OwnInputs : public ProgramRuns {
 protected:
  void SetUp() override {
    here.output(tiny_training("r"));
    std::ofstream(here / "f") << "1 2 3\n";
    fs::create_symlink(here / "f", here / "symlink");
    fs::create_hard_link(here / "f", here / "hardlink");
    fs::create_directory_symlink(here / "r", here / "linked");
  }

  std::map<fs::path, std::string> contents() const {
    std::map<fs::path, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(here.path())) {
      if (entry.is_regular_file()) {
        all[entry.path()] = content_of(entry.path());
      }
    }
    return all;
  }

  // Expects a rejection that mentions `reason`, and unchanged files.
  void expect_refused(const std::string& command, const std::string& reason) {
    const auto before = contents();
    const ProgramResult result = run_shell(command, here.path());
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.errors, HasSubstr(reason)) << command;
    EXPECT_TRUE(contents() == before) << command;
  }
};

TEST_F(OwnInputs, a_translation_over_its_lines) {
  for (const std::string name : {"f", "./r/../f", "symlink", "hardlink", "/dev/stdin"}) {
    const std::string output = "\"$TAPEHEAD\" translate r --output " + name;
    expect_refused(output + " <f", "is the same file as standard input, which is read");
    if (name != "/dev/stdin") {
      expect_refused(output + " --input f", "f, which is read");
      expect_refused("\"$TAPEHEAD\" translate r --input " + name + " >>f",
                     "cannot write to standard output: it is the same file as " + name);
    }
  }
  expect_refused("\"$TAPEHEAD\" translate r <f >>f", "cannot write to standard output");
  expect_refused("\"$TAPEHEAD\" translate r <f --output /dev/fd/1 >>f", "standard input");
}

TEST_F(OwnInputs, an_output_over_a_file_of_the_run) {
  for (const std::string file : {"r/config.yaml", "r/metrics.jsonl", "r/record.json",
                                 "r/joint.vocabulary", "linked/checkpoints/best.safetensors"}) {
    const std::string reason = ", which is read; name another file";
    expect_refused("\"$TAPEHEAD\" translate r <f --output " + file, reason);
    expect_refused("\"$TAPEHEAD\" report r --output " + file, reason);
    for (const std::string command : {"evaluate", "heads", "translate"}) {
      expect_refused("\"$TAPEHEAD\" " + command + " r <f >>" + file, reason);
    }
  }
  fs::copy(here / "r/checkpoints/best.safetensors", here / "weights");
  expect_refused("\"$TAPEHEAD\" translate r <f --checkpoint weights --output weights",
                 "weights, which is read");
  expect_refused("\"$TAPEHEAD\" report r --checkpoint weights --output weights",
                 "weights, which is read");
  // A page may be rewritten, and a run directory may hold other files.
  EXPECT_EQ(run_shell("\"$TAPEHEAD\" report r --output r/report.html", here.path()).exit_code, 0);
  for (int time = 0; time < 2; ++time) {
    const std::string command = "\"$TAPEHEAD\" translate r <f --output r/mine.txt";
    EXPECT_EQ(run_shell(command, here.path()).exit_code, 0);
  }
}

TEST_F(OwnInputs, a_config_that_is_shown_into_itself) {
  fs::copy(TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", here / "c.yaml");
  for (const std::string command : {"config", "plan", "gradcheck"}) {
    expect_refused("\"$TAPEHEAD\" " + command + " c.yaml >>c.yaml",
                   "cannot write to standard output: it is the same file as c.yaml");
  }
  expect_refused("\"$TAPEHEAD\" replay c.yaml >>c.yaml", "cannot write to standard output");
  std::ofstream(here / "d.yaml") << "base: c.yaml\n";
  for (const std::string command : {"config", "plan", "gradcheck"}) {
    expect_refused("\"$TAPEHEAD\" " + command + " d.yaml >>c.yaml",
                   "cannot write to standard output: it is the same file as c.yaml");
  }
}

TEST_F(OwnInputs, a_smaller_run_over_the_run_itself) {
  const std::string words = " --head encoder.layers.0.self.0 --overwrite";
  for (const std::string to : {"r", "./r/../r", "linked", "\"$PWD/r\""}) {
    expect_refused("\"$TAPEHEAD\" prune r " + to + words, "cannot be overwritten: r/");
    expect_refused("\"$TAPEHEAD\" prune " + to + " r" + words, "cannot be overwritten: ");
  }
  fs::copy(here / "r", here / "s", fs::copy_options::recursive);
  expect_refused(
      "\"$TAPEHEAD\" prune r s --checkpoint linked/../s/checkpoints/best.safetensors" + words,
      "which is read, is part of it");
  fs::create_symlink(here / "s/checkpoints/best.safetensors", here / "w");
  expect_refused("\"$TAPEHEAD\" prune r s --checkpoint w" + words, "w, which is read");
  EXPECT_EQ(run_shell("\"$TAPEHEAD\" prune r s" + words, here.path()).exit_code, 0);
}

TEST_F(OwnInputs, an_export_over_the_weights_that_it_reads) {
  fs::create_directory(here / "e");
  fs::copy(here / "r/checkpoints/best.safetensors", here / "e/model.safetensors");
  const std::string command = "\"$TAPEHEAD\" export r e --as pytorch --overwrite";
  expect_refused(command + " --checkpoint e/../e/model.safetensors",
                 "cannot write to e/model.safetensors");
  EXPECT_EQ(run_shell(command, here.path()).exit_code, 0);
}

TEST_F(OwnInputs, a_training_over_its_config_its_weights_or_its_text) {
  const std::string text = TAPEHEAD_FIXTURES "/text/";
  const auto train = [](const std::string& file, const Arguments& values) {
    Arguments words{"train", file, "--run", "r", "--overwrite"};
    set_options(words, values);
    return shell_command(words);
  };
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
  expect_refused(train("r/config.yaml", {}), "r/config.yaml, which is read, is part of it");
  expect_refused(train("linked/config.yaml", {}), "which is read, is part of it");
  std::ofstream(here / "d.yaml") << "base: r/config.yaml\n";
  expect_refused(train("d.yaml", {}), "r/config.yaml, which is read, is part of it");
  expect_refused(train(config, {"model.init_from=r"}), "which is read, is part of it");
  expect_refused(train(config, {"model.init_from=./linked"}), "which is read, is part of it");
  fs::copy(text + "train.en", here / "r/checkpoints/text.en");
  expect_refused(train(TAPEHEAD_SOURCE_DIR "/configs/multi30k.yaml",
                       {"task.train_source=r/checkpoints/text.en"}),
                 "r/checkpoints/text.en, which is read");
  // Overwriting keeps files in the directory that do not belong to the run.
  fs::copy(config, here / "r/mine.yaml");
  Arguments beside = tiny_training("r", {}, {"--overwrite"});
  beside[1] = "r/mine.yaml";
  here.output(beside);
  EXPECT_TRUE(fs::exists(here / "r/mine.yaml"));
}

TEST_F(OwnInputs, a_sweep_over_its_file_and_a_page_over_a_sweep) {
  const std::string sweep = R"({"config": ")" TAPEHEAD_SOURCE_DIR R"(/configs/copy.yaml", "set": {
        "task.train_examples": 100, "task.test_examples": 4, "task.validation_examples": 4,
        "model.d_model": 8, "model.layers": 1, "training.warmup": 1, "training.steps": 4}})";
  std::ofstream(here / "s.yaml") << sweep;
  ASSERT_EQ(run_shell("\"$TAPEHEAD\" sweep s.yaml --run s", here.path()).exit_code, 0);
  for (const std::string file : {"sweep.json", "results.json", "runs.csv", "seed=1.log"}) {
    std::ofstream(here / "s" / file) << sweep;
    expect_refused("\"$TAPEHEAD\" sweep s/" + file + " --run s", "which is read; name another");
    expect_refused("\"$TAPEHEAD\" sweep s/" + file + " --run ./r/../s", "which is read");
  }
  ASSERT_EQ(run_shell("\"$TAPEHEAD\" sweep s.yaml --run s", here.path()).exit_code, 0);
  expect_refused("\"$TAPEHEAD\" sweep s.yaml --run s >>s.yaml", "cannot write to standard output");
  for (const std::string file : {"sweep.json", "results.json", "seed=1/scores.jsonl",
                                 "seed=1/checkpoints/best.safetensors"}) {
    expect_refused("\"$TAPEHEAD\" report s --output s/" + file, "which is read; name another");
  }
}

}}  // namespace tapehead
