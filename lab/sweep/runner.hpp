// The runs of a sweep, so many side by side, each in processes of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/run_scores.hpp"
#include "lab/sweep/child.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/run_progress.hpp"

namespace tapehead {

enum class RunState { waiting, training, scoring, finished, failed };
std::string_view name_of(RunState state);

struct SweepWork {
  const SweepPlan& plan;
  std::filesystem::path directory;
  Index parallel;  // runs side by side
  Index threads;   // of each
  // Scores a trained run and writes the file; called in a process of its own.
  std::function<void(const std::filesystem::path& run)> score;
};

class SweepRunner {
 public:
  struct Run {
    std::filesystem::path directory;
    std::filesystem::path log;  // what its processes print
    RunWatch watch;
    RunState state = RunState::waiting;
    bool before = false;  // finished by an earlier sweep
    int exit_code = 0;    // of what has failed
    std::unique_ptr<SweepChild> child{};
  };

  // Looks at what is there already. Runs that are finished are not started again, others go on from
  // their last checkpoint. Throws IoError for a run that was made with another config, and one that
  // another process writes to.
  explicit SweepRunner(SweepWork work);

  // Takes note of processes that have ended and starts others; false once there is nothing left
  // to wait for.
  bool advance();

  // Passes a signal on, after which trainings save themselves and end, and starts nothing more.
  void stop(int signal);

  std::vector<Run>& runs() { return runs_; }
  Index count(RunState state) const;

  // Of each run, where it is finished.
  std::vector<std::optional<RunScores>> scores() const;

 private:
  void start_training(std::size_t run);
  void start_scoring(std::size_t run);
  void note_end(std::size_t run, int exit_code);
  bool is_finished(const std::filesystem::path& run) const;

  SweepWork work_;
  std::vector<Run> runs_;
  bool stopping_ = false;
};

}  // namespace tapehead
