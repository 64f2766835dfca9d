// A command must reject an output that is one of its inputs, by any name or descriptor, and leave
// the input unchanged.
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class OwnInputs : public ProgramRuns {
 protected:
  static inline const std::string other_name = ", which is read; name another";
  static inline const std::string to_standard_output = "cannot write to standard output";

  void SetUp() override {
    here.output(tiny_training("r"));
    here.write("f", "1 2 3\n");
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
  ProgramResult shell(const std::string& command) {
    return run_shell("\"$TAPEHEAD\" " + command, here.path());
  }
  void expect_allowed(const std::string& command) {
    EXPECT_EQ(shell(command).exit_code, 0) << command;
  }
  // Expects a rejection that mentions `reason`, and unchanged files.
  void expect_refused(const std::string& command, const std::string& reason) {
    const auto before = contents();
    const ProgramResult result = shell(command);
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.errors, HasSubstr(reason)) << command;
    EXPECT_TRUE(contents() == before) << command;
  }
};

TEST_F(OwnInputs, a_translation_over_its_lines_and_an_output_over_a_file_of_the_run) {
  for (const std::string name : {"f", "./r/../f", "symlink", "hardlink"}) {
    const std::string output = "translate r --output " + name;
    expect_refused(output + " <f", "is the same file as standard input, which is read");
    expect_refused(output + " --input f", "f, which is read");
    expect_refused("translate r --input " + name + " >>f",
                   to_standard_output + ": it is the same file as " + name);
  }
  expect_refused("translate r --output /dev/stdin <f",
                 "is the same file as standard input, which is read");
  expect_refused("translate r <f >>f", to_standard_output);
  expect_refused("translate r <f --output /dev/fd/1 >>f", "standard input");
  for (const std::string file : {"r/config.yaml", "r/metrics.jsonl", "r/record.json",
                                 "r/joint.vocabulary", "linked/checkpoints/best.safetensors"}) {
    for (const std::string command : {"translate r <f --output ", "report r --output ",
                                      "evaluate r <f >>", "heads r <f >>", "translate r <f >>"}) {
      expect_refused(command + file, other_name + " file");
    }
  }
  fs::copy(here / "r/checkpoints/best.safetensors", here / "weights");
  for (const std::string command : {"translate r <f", "report r"}) {
    expect_refused(command + " --checkpoint weights --output weights", "weights, which is read");
  }
  // A page may be rewritten, and a run directory may hold other files.
  for (const std::string file : {"r/report.html", "r/mine.txt", "r/mine.txt"}) {
    expect_allowed((file == "r/mine.txt" ? "translate r <f --output " : "report r --output ") +
                   file);
  }
}

TEST_F(OwnInputs, a_config_that_is_shown_into_itself_and_a_training_over_what_it_reads) {
  fs::copy(TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", here / "c.yaml");
  here.write("d.yaml", "base: c.yaml\n");
  for (const std::string command : {"config", "plan", "gradcheck"}) {
    for (const std::string config : {" c.yaml", " d.yaml"}) {
      expect_refused(command + config + " >>c.yaml",
                     to_standard_output + ": it is the same file as c.yaml");
    }
  }
  expect_refused("replay c.yaml >>c.yaml", to_standard_output);
  const std::string configs = "'" TAPEHEAD_SOURCE_DIR "'/configs/";
  const std::string part = "which is read, is part of it";
  const auto expect_no_training = [&](const std::string& arguments, const std::string& reason) {
    expect_refused("train --run r --overwrite " + arguments, reason);
  };
  expect_no_training("r/config.yaml", "r/config.yaml, " + part);
  expect_no_training("linked/config.yaml", part);
  here.write("d.yaml", "base: r/config.yaml\n");
  expect_no_training("d.yaml", "r/config.yaml, " + part);
  expect_no_training(configs + "copy.yaml --set model.init_from=r", part);
  expect_no_training(configs + "copy.yaml --set model.init_from=./linked", part);
  fs::copy(TAPEHEAD_FIXTURES "/text/train.en", here / "r/checkpoints/text.en");
  expect_no_training(configs + "multi30k.yaml --set task.train_source=r/checkpoints/text.en",
                     "r/checkpoints/text.en, which is read");
  // Overwriting keeps files in the directory that do not belong to the run.
  fs::copy(TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", here / "r/mine.yaml");
  Arguments beside = tiny_training("r", {}, {"--overwrite"});
  beside[1] = "r/mine.yaml";
  here.output(beside);
  EXPECT_TRUE(fs::exists(here / "r/mine.yaml"));
}

TEST_F(OwnInputs, a_smaller_run_and_an_export_over_what_they_read) {
  const std::string words = " --head encoder.layers.0.self.0 --overwrite";
  for (const std::string to : {"r", "./r/../r", "linked", "\"$PWD/r\""}) {
    expect_refused("prune r " + to + words, "cannot be overwritten: r/");
    expect_refused("prune " + to + " r" + words, "cannot be overwritten: ");
  }
  fs::copy(here / "r", here / "s", fs::copy_options::recursive);
  expect_refused("prune r s --checkpoint linked/../s/checkpoints/best.safetensors" + words,
                 "which is read, is part of it");
  fs::create_symlink(here / "s/checkpoints/best.safetensors", here / "w");
  expect_refused("prune r s --checkpoint w" + words, "w, which is read");
  expect_allowed("prune r s" + words);

  fs::create_directory(here / "e");
  fs::copy(here / "r/checkpoints/best.safetensors", here / "e/model.safetensors");
  const std::string command = "export r e --as pytorch --overwrite";
  expect_refused(command + " --checkpoint e/../e/model.safetensors",
                 "cannot write to e/model.safetensors");
  expect_allowed(command);
}

TEST_F(OwnInputs, a_sweep_over_its_file_and_a_page_over_a_sweep) {
  const std::string sweep = R"({"config": ")" TAPEHEAD_SOURCE_DIR R"(/configs/copy.yaml", "set": {
        "task.train_examples": 100, "task.test_examples": 4, "task.validation_examples": 4,
        "model.d_model": 8, "model.layers": 1, "training.warmup": 1, "training.steps": 4}})";
  here.write("s.yaml", sweep);
  expect_allowed("sweep s.yaml --run s");
  for (const std::string file : {"sweep.json", "results.json", "runs.csv", "seed=1.log"}) {
    here.write("s/" + file, sweep);
    expect_refused("sweep s/" + file + " --run s", other_name);
    expect_refused("sweep s/" + file + " --run ./r/../s", "which is read");
  }
  expect_allowed("sweep s.yaml --run s");
  expect_refused("sweep s.yaml --run s >>s.yaml", to_standard_output);
  for (const std::string file : {"sweep.json", "results.json", "seed=1/scores.jsonl",
                                 "seed=1/checkpoints/best.safetensors"}) {
    expect_refused("report s --output s/" + file, other_name);
  }
}

}}  // namespace tapehead
