// What is on the disk, and so survives a power loss, when training puts a checkpoint in place.
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/logged.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/loop/training.hpp"

namespace {

// Called before each file or directory is synced.
std::function<void(const std::filesystem::path&)> before_sync;

}  // namespace

// Replaces the fsync of the C library.
extern "C" int fsync(int descriptor) {
  if (before_sync) {
    before_sync(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

namespace fs = std::filesystem;

class RunWriterOnDisk : public Test {
 protected:
  void SetUp() override {
    before_sync = [this](const fs::path& path) {
      if (path.parent_path().filename() == "checkpoints" && path.extension() == ".tmp") {
        see_checkpoint(path.stem().stem().stem().string());
      }
      order_.push_back(path.filename().string());
      synced_[path] = fs::is_directory(path) ? 0 : fs::file_size(path);
    };
  }
  void TearDown() override { before_sync = nullptr; }

  void train(Index steps, bool resume) {
    const Logged logged;
    const Trained trained = tapehead::train(
        {.config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml",
         .run = run_,
         .overrides = {"task.train_examples=20", "task.validation_examples=4",
                       "task.test_examples=4", "model.d_model=16", "model.layers=1",
                       "training.warmup=1", "training.batch_tokens=64", "training.average_last=1",
                       "training.checkpoint_every=1", "evaluation.every=2", "run.tensorboard=true",
                       "training.steps=" + std::to_string(steps)},
         .resume = resume,
         .threads = 1});
    EXPECT_EQ(trained.end.step, steps);
  }

  // Notes a checkpoint that is about to be put in place. `name` lacks the temporary ending.
  void see_checkpoint(const std::string& name) {
    seen_.push_back(name);
    for (const fs::directory_entry& entry : fs::directory_iterator(run_)) {
      const std::string file = entry.path().filename().string();
      const bool lines = entry.path().extension() == ".jsonl" || file.starts_with("events.");
      if (lines && (!synced_.contains(entry.path()) ||
                    synced_.at(entry.path()) != fs::file_size(entry.path()))) {
        faults_.push_back(name + " before lines of " + file);
      }
    }
  }

  TemporaryDirectory here_;
  fs::path run_ = here_ / "new" / "run";
  std::map<fs::path, std::uintmax_t> synced_;  // synced bytes by file
  std::vector<std::string> order_;             // everything synced, in order
  std::vector<std::string> seen_;
  std::vector<std::string> faults_;
};

// Stopped in between, written.yaml has a choice that config.yaml lacks, which `--set` detects.
TEST_F(RunWriterOnDisk, lines_and_choices_are_there_before_what_depends_on_them) {
  const auto expect_choice_first = [&] {
    const auto place_of = [&](const std::string& file) {
      return std::ranges::find_if(order_, [&](const auto& name) { return name.starts_with(file); });
    };
    EXPECT_LT(place_of("written.yaml"), place_of("config.yaml"));
    EXPECT_NE(place_of("config.yaml"), order_.end());
  };
  train(2, false);
  EXPECT_THAT(faults_, IsEmpty());
  const std::string elapsed = seen_.back();
  EXPECT_THAT(seen_, ElementsAre("weights_00000001", "average", "step_00000001", elapsed, "best",
                                 "weights_00000002", "average", "step_00000002", elapsed));
  expect_choice_first();
  for (const fs::path& directory : {here_.path(), here_ / "new", run_, run_ / "checkpoints"}) {
    EXPECT_TRUE(synced_.contains(directory)) << directory;
  }
  order_.clear();
  train(3, true);
  EXPECT_THAT(faults_, IsEmpty());
  EXPECT_THAT(seen_, Contains("step_00000003"));
  expect_choice_first();
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
