// Runs the trainings of a sweep at its places, each in its own process, and reads the progress of a
// run from its metrics.jsonl.
#pragma once

#include "lab/sweep/places.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

struct RunProgress {
  Index step = 0;
  Index epoch = 0;  // finished epochs
  std::optional<double> loss;
  std::optional<double> metric;  // of the last evaluation
  bool readable = true;          // false: the file exists but cannot be read
};

class RunWatch {
 public:
  RunWatch(fs::path metrics, Metric metric) : file_(std::move(metrics)), metric_(metric) {}

  // Reads what was written since the last call. A missing file counts as empty.
  const RunProgress& look();

 private:
  void take(std::string_view line);

  fs::path file_;
  Metric metric_;
  std::streamoff read_ = 0;
  RunProgress progress_;
};

// "step 120/600" or "epoch 3/22"; the end is shown if the config determines it.
std::string progress_text(const RunProgress& progress, const TrainingOptions& training);

enum class RunState { waiting, training, scoring, finished, failed };
constexpr ValueNames<5> value_names(RunState) {
  return {"waiting", "training", "testing", "finished", "failed"};
}

struct SweepWork {
  const SweepPlan& plan;
  fs::path directory;
  SweepPlaces& places;
  Index threads;  // of each run
};

class SweepRunner {
 public:
  struct Run {
    fs::path directory;
    fs::path log;  // the output of its processes
    RunWatch watch;
    RunState state = RunState::waiting;
    bool before = false;                // an earlier start of the sweep finished it
    int exit_code = 0;                  // of the last process that failed
    std::optional<Index> place{};       // the place of its running process
    std::vector<Index> failed_at{};     // places at which its processes failed
    std::optional<Index> last_place{};  // the place of its last start
  };

  // Finished runs are not started again; other runs continue from their last checkpoint. Throws
  // IoError for a run with another config or other data, or a run that another process is writing.
  explicit SweepRunner(SweepWork work);

  // Handles processes that ended in the last round and starts others in the next round. Returns
  // false if there is nothing left to wait for. A failed run gets a second try where it has not
  // failed (SweepPlaces::tries), because the machine may be the reason.
  bool advance();

  // Passes a signal to the trainings, which then save and end. Starts no further trainings.
  void stop(int signal);

  std::vector<Run>& runs() { return runs_; }
  Index count(RunState state) const;

  // The scores of each run that is finished, in the order of the plan.
  std::vector<std::optional<RunScores>> scores() const;

 private:
  void start(Run& run, RunState state, Index place, std::vector<std::string> arguments);
  void note_end(Run& run, int exit_code);

  SweepWork work_;
  std::vector<Run> runs_;
  bool stopping_ = false;
};

}  // namespace tapehead
