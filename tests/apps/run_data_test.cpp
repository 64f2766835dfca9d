// A run finds its data from any directory, and detects other data.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class RunData : public ProgramRuns {
 protected:
  RunData() {
    for (const std::string split : {"train", "validation", "test"}) {
      for (const std::string side : {".en", ".de"}) {
        write_text(project / "data" / (split + side), corpus_lines());
      }
    }
    write_text(project / "text.yaml", corpus_config("data", "word"));
    expect_success({"train", "text.yaml", "--run", "runs/r"}, project);
    fs::create_directories(elsewhere);
  }

  static ProgramResult expect_success(const Arguments& arguments, const fs::path& directory) {
    ProgramResult result = run_program(arguments, directory);
    EXPECT_EQ(result.exit_code, 0) << directory << ": " << result.errors;
    return result;
  }
  static std::string complaint(const Arguments& arguments, const fs::path& directory) {
    const ProgramResult result = run_program(arguments, directory);
    EXPECT_EQ(result.exit_code, 1) << result.output;
    return result.errors;
  }
  static void change(const fs::path& data) { write_text(data / "test.en", "other words\n"); }
  fs::path project = here / "project";
  fs::path elsewhere = here / "elsewhere/deep";
};

TEST_F(RunData, is_found_from_any_directory) {
  write_text(elsewhere / "data/test.en", "a file of the same name\n");
  for (const auto& [directory, run] : {std::pair<fs::path, fs::path>{project, "runs/r"},
                                       {project / "runs", "r"},
                                       {elsewhere, "../../project/runs/r"},
                                       {elsewhere, project / "runs/r"}}) {
    expect_success({"evaluate", run}, directory);
    expect_success({"heads", run}, directory);
    expect_success({"report", run}, directory);
    expect_success({"train", project / "text.yaml", "--run", run, "--resume"}, directory);
    expect_success({"plan", run / "config.yaml"}, directory);
  }
  expect_success({"prune", project / "runs/r", "small", "--count", "1"}, elsewhere);
  fs::rename(elsewhere / "small", project / "runs/small");
  expect_success({"evaluate", "runs/small"}, project);
}

// Commands name the data on standard error, except with --data: then the user chose it.
TEST_F(RunData, is_named_when_a_run_chooses_it) {
  const std::string named = "its data.json names, and this reads: ";
  for (const Arguments& arguments :
       {Arguments{"evaluate", "runs/r", "--json"}, Arguments{"heads", "runs/r"},
        Arguments{"report", "runs/r"}, Arguments{"prune", "runs/r", "small", "--count", "1"},
        Arguments{"train", "text.yaml", "--run", "runs/r", "--resume"},
        Arguments{"plan", "runs/r/config.yaml"}}) {
    const ProgramResult result = expect_success(arguments, project);
    EXPECT_THAT(result.errors, HasSubstr(named)) << arguments.front();
    EXPECT_THAT(result.output, Not(HasSubstr(named))) << arguments.front();
    EXPECT_THAT(result.errors, HasSubstr((project / "data/test.de").string()));
  }
  EXPECT_THAT(expect_success({"evaluate", "runs/r", "--data", "data"}, project).errors,
              Not(HasSubstr(named)));
}

TEST_F(RunData, is_found_after_run_and_data_have_moved_together) {
  fs::rename(project, here / "moved");
  fs::create_directories(project);
  expect_success({"evaluate", "moved/runs/r"}, here.path());
  // Other data is now at the original place: the data with the same bytes is used.
  fs::copy(here / "moved/data", project / "data", fs::copy_options::recursive);
  change(project / "data");
  expect_success({"evaluate", "moved/runs/r"}, here.path());
}

TEST_F(RunData, that_is_gone_is_asked_for) {
  fs::rename(project / "data", elsewhere / "data");
  for (const Arguments& arguments :
       {Arguments{"evaluate", "runs/r"}, Arguments{"heads", "runs/r"},
        Arguments{"train", "text.yaml", "--run", "runs/r", "--resume"}}) {
    EXPECT_THAT(complaint(arguments, project),
                AllOf(HasSubstr("run runs/r: task.train_source: there is no "),
                      HasSubstr((project / "data/train.en").string()), HasSubstr("--data DIR"),
                      Not(HasSubstr("--overwrite"))));
  }
  const std::string data = (elsewhere / "data").string();  // found by file name
  expect_success({"evaluate", "runs/r", "--data", data}, project);
  expect_success({"train", "text.yaml", "--run", "runs/r", "--resume", "--data", data}, project);
  expect_success({"evaluate", "runs/r"}, project);  // where the resumed run found it
  expect_success({"evaluate", "runs/r", "--data", elsewhere}, project);  // found by path
}

TEST_F(RunData, of_a_task_without_files_is_in_no_directory) {
  expect_success(tiny_training("s"), project);
  const Arguments data{"--data", "nowhere"};
  for (const Arguments& arguments :
       {Arguments{"evaluate", "s", data[0], data[1]}, Arguments{"heads", "s", data[0], data[1]},
        Arguments{"prune", "s", "t", "--count", "1", data[0], data[1]},
        resumed_training("s", {}, data)}) {
    const ProgramResult result = run_program(arguments, project);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors,
                HasSubstr("--data: run s makes its data from the seed; leave it out"));
  }
  // The weights of a run with other examples.
  expect_success(tiny_training("u", {"task.train_examples=500"}), project);
  const Arguments other{"evaluate", "s", "--checkpoint", "u/checkpoints/best.safetensors"};
  EXPECT_THAT(complaint(other, project), AllOf(HasSubstr("s has now; use these with --other-data"),
                                               Not(HasSubstr("--data "))));
  Arguments allowed = other;
  allowed.emplace_back("--other-data");
  expect_success(allowed, project);
}

TEST_F(RunData, whose_record_is_damaged_is_told_with_its_file) {
  for (const std::string damaged : {"", "[]", "{\"train_source\": 3}", "{\"train_source\": {}}"}) {
    write_text(project / "runs/r/data.json", damaged);
    EXPECT_THAT(complaint({"evaluate", "runs/r"}, project), HasSubstr("runs/r/data.json: "));
  }
}

TEST_F(RunData, that_is_another_is_an_error_unless_asked_for) {
  change(project / "data");
  write_text(project / "data/test.de", "other words\n");
  const std::string file = (project / "data/test.en").string();
  for (const std::string command : {"evaluate", "heads"}) {
    for (const Arguments& options : {Arguments{}, {"--other-data"}}) {
      const Arguments arguments = Arguments{command, "runs/r"} + options;
      EXPECT_THAT(complaint(arguments, project),
                  AllOf(HasSubstr("run runs/r began with other data (task.test_source: " + file +
                                  " has other bytes now); "),
                        HasSubstr("--data DIR")));
    }
    EXPECT_THAT(
        complaint({command, "runs/r", "--data", "data"}, project),
        AllOf(HasSubstr("was trained with other data than data holds"), HasSubstr("--other-data")));
    EXPECT_THAT(
        expect_success({command, "runs/r", "--data", "data", "--other-data"}, project).errors,
        HasSubstr("warning: "));
  }
  EXPECT_THAT(complaint({"plan", "runs/r/config.yaml"}, project),
              AllOf(HasSubstr(file), HasSubstr("copy the config elsewhere")));
}

// A stranger's run may name any file of its user.
TEST_F(RunData, of_any_name_is_not_read_without_its_digest) {
  const std::string record = content_of(project / "runs/r/data.json");
  write_text(project / "secret", "a secret\n");
  ASSERT_EQ(::mkfifo((project / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", project / "device");
  const auto named = [&](const std::string& name, const std::string& digest) {
    auto json = nlohmann::ordered_json::parse(record);
    json["test_source"]["absolute"] = json["test_source"]["relative"] = (project / name).string();
    if (digest.empty()) {
      json["test_source"]["digest"] = "";
    }
    write_text(project / "runs/r/data.json", json.dump());
  };
  const std::vector<Arguments> commands{{"evaluate", "runs/r", "--other-data"},
                                        {"heads", "runs/r", "--other-data", "--split", "test"},
                                        {"train", "text.yaml", "--run", "runs/r", "--resume"},
                                        {"train", "runs/r/config.yaml", "--run", "runs/of_it"}};
  for (const std::string digest : {"recorded", ""}) {
    for (const std::string name : {"secret", "pipe", "device"}) {
      named(name, digest);
      for (const Arguments& arguments : commands) {
        EXPECT_THAT(complaint(arguments, project),
                    AllOf(HasSubstr("task.test_source: "), HasSubstr((project / name).string()),
                          Not(HasSubstr("a secret"))));
      }
    }
  }
  expect_success({"evaluate", "runs/r", "--data", "data"}, project);
}

TEST_F(RunData, that_is_another_never_costs_a_run_its_checkpoints) {
  write_text(project / "data/train.en", corpus_lines() + "one more\n");
  write_text(project / "data/train.de", corpus_lines() + "one more\n");
  const Arguments resume{"train", "text.yaml", "--run", "runs/r", "--resume", "--data", "data"};
  EXPECT_THAT(
      complaint({resume.begin(), resume.end() - 2}, project),
      AllOf(HasSubstr("other data"), HasSubstr("--data DIR"), Not(HasSubstr("--overwrite"))));
  EXPECT_THAT(complaint(resume, project),
              AllOf(HasSubstr("other data"), HasSubstr("--data DIR"), HasSubstr("model.init_from"),
                    Not(HasSubstr("--overwrite"))));
  write_text(step_checkpoint(project / "runs/r", 40), "rubbish");
  EXPECT_THAT(complaint(resume, project), HasSubstr("start another run from its weights"));
  // Without an intact checkpoint there is nothing to lose.
  write_text(project / "runs/r/checkpoints/best.safetensors", "rubbish");
  EXPECT_THAT(complaint(resume, project), HasSubstr("start again with --overwrite"));
}

// Like a kill before the first checkpoint: only the run's record describes the data.
TEST_F(RunData, that_is_another_is_refused_before_the_first_checkpoint_too) {
  fs::remove(step_checkpoint(project / "runs/r", 40));
  fs::remove(project / "runs/r/checkpoints/best.safetensors");
  const std::string record = content_of(project / "runs/r/data.json");
  fs::copy(project / "data", project / "kept");
  write_text(project / "data/train.de", corpus_lines() + "one more\n");
  write_text(project / "data/train.en", corpus_lines() + "one more\n");
  const Arguments resume{"train", "text.yaml", "--run", "runs/r", "--resume"};
  EXPECT_THAT(complaint(resume, project),
              AllOf(HasSubstr("run runs/r began with other data (task.train_source: "),
                    HasSubstr((project / "data/train.en").string() + " has other bytes now); "),
                    HasSubstr("--data DIR")));
  EXPECT_EQ(content_of(project / "runs/r/data.json"), record);
  Arguments kept = resume;
  kept.insert(kept.end(), {"--data", "kept"});
  expect_success(kept, project);
  EXPECT_TRUE(fs::exists(step_checkpoint(project / "runs/r", 40)));
}

}}  // namespace tapehead
