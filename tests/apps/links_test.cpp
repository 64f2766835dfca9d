// Files and directories of a run may be links to other files; no command on the run changes the
// linked files.
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Links : public TinyRuns {
 protected:
  void SetUp() override {
    train(text_training(here, "r", {"training.average_last=1", "run.tensorboard=true"}));
    for (const char* name : {"report.html", "scores.jsonl", "replay.safetensors"}) {
      std::ofstream(here / "r" / name) << "of the run";
    }
  }
};

TEST_F(Links, to_files_are_refused_or_replaced) {
  std::set<fs::path> names;
  for (const auto& entry : fs::recursive_directory_iterator(here / "r")) {
    if (entry.is_regular_file()) {
      names.insert(entry.path().lexically_relative(here / "r"));
    }
  }
  ASSERT_GE(names.size(), 16U);
  const std::set<fs::path> appended{".lock", "log.txt", "metrics.jsonl", "times.jsonl"};
  for (const fs::path& name : names) {
    fs::remove_all(here / "copy");
    copy_run("r", "copy");
    const std::string before = content_of(here / "r" / name);
    std::ofstream(here / "victim", std::ios::binary) << before;
    fs::remove(here / "copy" / name);
    fs::create_symlink(here / "victim", here / "copy" / name);
    const ProgramResult end =
        run({"train", "a.yaml", "--run", "copy", "--resume", "--set", "training.steps=41"});
    EXPECT_TRUE(content_of(here / "victim") == before) << name << '\n' << end.errors;
    EXPECT_EQ(end.exit_code, appended.contains(name) ? 1 : 0) << name << '\n' << end.errors;
    if (end.exit_code != 0) {
      EXPECT_THAT(end.errors, HasSubstr("copy/" + name.string() + ": it is a symbolic link"));
    }
  }
}

TEST_F(Links, to_directories_are_refused_but_the_run_may_be_one) {
  fs::rename(here / "r", here / "elsewhere");
  fs::create_directory_symlink("elsewhere", here / "r");
  for (const char* name : {"checkpoints", "tokens"}) {
    fs::rename(here / "r" / name, here / name);
    fs::create_directory_symlink(here / name, here / "r" / name);
    std::ofstream(here / name / "step_00000050.safetensors") << "of somebody else";
    const ProgramResult end = resume("r", {"training.steps=41"});
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_THAT(end.errors, HasSubstr(std::string("r/") + name + ": it is a symbolic link"));
    EXPECT_EQ(content_of(here / name / "step_00000050.safetensors"), "of somebody else");
    fs::remove(here / "r" / name);
    fs::rename(here / name, here / "r" / name);
  }
  fs::remove(here / "r/checkpoints/step_00000050.safetensors");
  EXPECT_EQ(resume("r", {"training.steps=41"}).exit_code, 0);
}

}}  // namespace tapehead
