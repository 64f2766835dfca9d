// A run finds its data from any directory, and detects other data.
#include <sys/stat.h>

#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class RunData : public ProgramRuns {
 protected:
  static inline const std::string resume = "train text.yaml --run runs/r --resume";

  RunData() {
    write_corpus(project / "data");
    write_text(project / "text.yaml", corpus_config("data", "word"));
    succeed("train text.yaml --run runs/r");
    fs::create_directories(elsewhere);
  }

  ProgramResult succeed(const CommandLine& arguments) const { return succeed(arguments, project); }
  static ProgramResult succeed(const CommandLine& arguments, const fs::path& directory) {
    ProgramResult result = run_program(arguments, directory);
    EXPECT_EQ(result.exit_code, 0) << directory << ": " << result.errors;
    return result;
  }
  std::string complaint(const CommandLine& arguments, int exit_code = 1) const {
    const ProgramResult result = run_program(arguments, project);
    EXPECT_EQ(result.exit_code, exit_code) << PrintToString(arguments) << result.output;
    return result.errors;
  }
  void add_a_training_pair() const {
    write_text(project / "data/train.en", corpus_lines() + "one more\n");
    write_text(project / "data/train.de", corpus_lines() + "one more\n");
  }
  fs::path project = here / "project";
  fs::path elsewhere = here / "elsewhere/deep";
};

TEST_F(RunData, is_found_from_any_directory) {
  write_text(elsewhere / "data/test.en", "a file of the same name\n");
  for (const auto& [directory, run] : {std::pair<fs::path, fs::path>{project, "runs/r"},
                                       {project / "runs", "r"},
                                       {elsewhere, "../../project/runs/r"},
                                       {elsewhere, project / "runs/r"}}) {
    for (const Arguments& arguments :
         {Arguments{"evaluate", run}, Arguments{"heads", run}, Arguments{"report", run},
          Arguments{"train", project / "text.yaml", "--run", run, "--resume"},
          Arguments{"plan", run / "config.yaml"}}) {
      succeed(arguments, directory);
    }
  }
  succeed({"prune", project / "runs/r", "small", "--count", "1"}, elsewhere);
  fs::rename(elsewhere / "small", project / "runs/small");
  succeed("evaluate runs/small");
}

// Commands name the data on standard error, except with --data: then the user chose it.
TEST_F(RunData, is_named_when_a_run_chooses_it) {
  const std::string named = "reading these files, which its data.json names: ";
  for (const std::string& command : std::vector<std::string>{
           "evaluate runs/r --json", "heads runs/r", "report runs/r",
           "prune runs/r small --count 1", resume, "plan runs/r/config.yaml"}) {
    const ProgramResult result = succeed(command);
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr(named), HasSubstr((project / "data/test.de").string())))
        << command;
    EXPECT_THAT(result.output, Not(HasSubstr(named))) << command;
  }
  EXPECT_THAT(succeed("evaluate runs/r --data data").errors, Not(HasSubstr(named)));
}

TEST_F(RunData, is_found_after_run_and_data_have_moved_together) {
  fs::rename(project, here / "moved");
  fs::create_directories(project);
  succeed("evaluate moved/runs/r", here.path());
  // Other data is now at the original place: the data with the same bytes is used.
  fs::copy(here / "moved/data", project / "data", fs::copy_options::recursive);
  write_text(project / "data/test.en", "other words\n");
  succeed("evaluate moved/runs/r", here.path());
}

TEST_F(RunData, that_is_gone_is_asked_for) {
  fs::rename(project / "data", elsewhere / "data");
  for (const std::string& command :
       std::vector<std::string>{"evaluate runs/r", "heads runs/r", resume}) {
    EXPECT_THAT(complaint(command), AllOf(HasSubstr("run runs/r: task.train_source: there is no "),
                                          HasSubstr((project / "data/train.en").string()),
                                          HasSubstr("--data DIR"), Not(HasSubstr("--overwrite"))));
  }
  const Arguments data{"--data", elsewhere / "data"};  // found by file name
  succeed(CommandLine("evaluate runs/r") + data);
  succeed(CommandLine(resume) + data);
  succeed("evaluate runs/r");                            // where the resumed run found it
  succeed({"evaluate", "runs/r", "--data", elsewhere});  // found by path
}

TEST_F(RunData, of_a_task_without_files_is_in_no_directory) {
  succeed(tiny_training("s"));
  for (const CommandLine& command :
       {CommandLine("evaluate s"), CommandLine("heads s"), CommandLine("prune s t --count 1"),
        CommandLine(resumed_training("s"))}) {
    EXPECT_THAT(complaint(command + Arguments{"--data", "nowhere"}, 2),
                HasSubstr("--data: run s makes its data from the seed; leave --data out"));
  }
  // The weights of a run with other examples.
  succeed(tiny_training("u", {"task.train_examples=500"}));
  const std::string other = "evaluate s --checkpoint u/checkpoints/best.safetensors";
  EXPECT_THAT(complaint(other), AllOf(HasSubstr("s has now; use the other data with --other-data"),
                                      Not(HasSubstr("--data "))));
  succeed(other + " --other-data");
}

TEST_F(RunData, that_is_another_is_an_error_unless_asked_for) {
  write_text(project / "data/test.en", "other words\n");
  write_text(project / "data/test.de", "other words\n");
  const std::string file = (project / "data/test.en").string();
  for (const std::string command : {"evaluate runs/r", "heads runs/r"}) {
    for (const std::string options : {"", " --other-data"}) {
      EXPECT_THAT(complaint(command + options),
                  AllOf(HasSubstr("run runs/r began with other data (task.test_source: " + file +
                                  " has changed since); "),
                        HasSubstr("--data DIR")));
    }
    const std::string chosen = command + " --data data";
    EXPECT_THAT(complaint(chosen), AllOf(HasSubstr("was trained with other data than data holds"),
                                         HasSubstr("--other-data")));
    EXPECT_THAT(succeed(chosen + " --other-data").errors, HasSubstr("warning: "));
  }
  EXPECT_THAT(complaint("plan runs/r/config.yaml"),
              AllOf(HasSubstr(file), HasSubstr("copy the config elsewhere")));
}

// A stranger's run may name any file of its user.
TEST_F(RunData, of_any_name_is_not_read_without_its_digest_and_a_damaged_record_is_told) {
  const std::string record = content_of(project / "runs/r/data.json");
  write_text(project / "secret", "a secret\n");
  ASSERT_EQ(::mkfifo((project / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", project / "device");
  for (const bool digest : {true, false}) {
    for (const std::string name : {"secret", "pipe", "device"}) {
      auto json = nlohmann::ordered_json::parse(record);
      auto& file = json["test_source"];
      file["absolute"] = file["relative"] = (project / name).string();
      if (!digest) {
        file["digest"] = "";
      }
      write_text(project / "runs/r/data.json", json.dump());
      for (const std::string& command : std::vector<std::string>{
               "evaluate runs/r --other-data", "heads runs/r --other-data --split test", resume,
               "train runs/r/config.yaml --run runs/of_it"}) {
        EXPECT_THAT(complaint(command),
                    AllOf(HasSubstr("task.test_source: "), HasSubstr((project / name).string()),
                          Not(HasSubstr("a secret"))));
      }
    }
  }
  succeed("evaluate runs/r --data data");
  for (const std::string damaged : {"", "[]", "{\"train_source\": 3}", "{\"train_source\": {}}"}) {
    write_text(project / "runs/r/data.json", damaged);
    EXPECT_THAT(complaint("evaluate runs/r"), HasSubstr("runs/r/data.json: "));
  }
}

TEST_F(RunData, that_is_another_never_costs_a_run_its_checkpoints) {
  add_a_training_pair();
  const std::string chosen = resume + " --data data";
  const auto keeps =
      AllOf(HasSubstr("other data"), HasSubstr("--data DIR"), Not(HasSubstr("--overwrite")));
  EXPECT_THAT(complaint(resume), keeps);
  EXPECT_THAT(complaint(chosen), AllOf(keeps, HasSubstr("model.init_from")));
  write_text(step_checkpoint(project / "runs/r", 40), "rubbish");
  EXPECT_THAT(complaint(chosen), HasSubstr("start another run from its weights"));
  // Without an intact checkpoint there is nothing to lose.
  write_text(project / "runs/r/checkpoints/best.safetensors", "rubbish");
  EXPECT_THAT(complaint(chosen), HasSubstr("start again with --overwrite"));
}

// Like a kill before the first checkpoint: only the run's record describes the data.
TEST_F(RunData, that_is_another_is_refused_before_the_first_checkpoint_too) {
  fs::remove(step_checkpoint(project / "runs/r", 40));
  fs::remove(project / "runs/r/checkpoints/best.safetensors");
  const std::string record = content_of(project / "runs/r/data.json");
  fs::copy(project / "data", project / "kept");
  add_a_training_pair();
  EXPECT_THAT(complaint(resume),
              AllOf(HasSubstr("run runs/r began with other data (task.train_source: "),
                    HasSubstr((project / "data/train.en").string() + " has changed since); "),
                    HasSubstr("--data DIR")));
  EXPECT_EQ(content_of(project / "runs/r/data.json"), record);
  succeed(resume + " --data kept");
  EXPECT_TRUE(fs::exists(step_checkpoint(project / "runs/r", 40)));
}

}}  // namespace tapehead
