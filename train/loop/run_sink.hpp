// The run sink: what a training reads from its run directory and writes there, by the first of its
// ranks. The sink of the others gets what that one read, and writes nothing. Also from which step a
// training resumes, and which files still belong to it.
#pragma once

#include "core/files/json_text.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/ranks/ranks.hpp"
#include "datasets/task.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/loop/replay.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/kept_files.hpp"
#include "train/run/run_record.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// How a run ended: by itself, or by a signal, after which it can be resumed.
struct RunEnd {
  int signal = 0;  // 0, SIGINT, SIGTERM, SIGHUP or SIGUSR1
  Index step = 0;
  double seconds = 0;    // of training
  SplitResults tests{};  // of each of final_splits(), if the run ended by itself
};

// The functions are in the order in which a training calls them, on all ranks alike. Here they do
// what a rank does that writes nothing.
class RunSink {
 public:
  struct Request {
    RunFiles files;
    bool resume = false;     // the directory has the run that goes on
    bool overwrite = false;  // it may have one that is replaced
  };
  RunSink(const Request& request, Ranks& ranks) : request_(request), ranks_(ranks) {}
  RunSink(const RunSink&) = delete;
  RunSink& operator=(const RunSink&) = delete;
  virtual ~RunSink() = default;

  // Throws if the run would replace what it is made from, or any run without being asked to.
  virtual void expect_available(const LoadedConfig&) {}

  // Throws IoError if a run without a checkpoint has other data than it began with: its vocabulary
  // is of that data. A checkpoint knows its data itself.
  virtual void expect_data_of_start(const TaskOptions&) {}

  // Throws if the initial weights do not fit, or the ranks would not train the same. Then makes or
  // opens the directory. While this object exists, it stays locked, so that no other training
  // writes to it, and log messages also go to its log.txt.
  virtual void open(const Config& config, const Task& task, const BlasInfo& blas);

  // From where a training goes on, with its weights, moments and memory: see restore_training(),
  // load_initial_weights() and keep_weights_of_run(). `config`: with its intervals set.
  struct Begin {
    TrainingPosition position;
    double elapsed = 0;  // seconds of training
    std::optional<BestWeights> best{};
  };
  virtual Begin begin(const Config& config, const Task& task, const TrainingState& state,
                      Model& model);

  // Removes lines of later steps, which will be done again, and files that describe the earlier
  // state of the run, if it is not finished or `config`, as the run keeps it, has other options.
  virtual void go_on_from(Index, const Config& /*config*/, bool /*finished*/) {}

  // Writes what a run directory has before the first step, and the record of this start.
  virtual void start(const LoadedConfig&, const Task&, const TaskOptions&, const RunStart&) {}

  using Line = Json;
  virtual void write_step(const Line&, Index /*step*/, double /*elapsed*/) {}
  virtual void write_evaluation(const Line&, const std::vector<std::string>& /*samples*/) {}
  virtual void save_best(const ParameterStore&, Index /*step*/, const BestWeights&) {}

  // Writes a step checkpoint and, if there is one, the average of weights. `regular`: not because
  // of a stop. Throws NumericError if the weights are not finite, and RankError if ranks have
  // different ones; then nothing is written.
  virtual void save(const TrainingState& state, const TrainingPosition& position, double elapsed,
                    bool regular);

  // Saves a step that failed; returns the command that repeats it.
  virtual std::string keep_for_replay(const Replay& replay, const ParameterStore& store);

  // Loads the weights that a user of the run would get; returns the file.
  virtual std::filesystem::path load_final_weights(ParameterStore& store);

  virtual void end(const RunEnd&) {}

  // How the ranks share the work, and how many bytes rank 0 sends at each step; empty for a process
  // alone.
  std::string row(Index shards, double bytes_sent) const;
  Team team(Workers& workers) const { return {workers, ranks_}; }
  const RunFiles& files() const { return request_.files; }

 protected:
  std::string decided(std::string_view mine);  // the text of the first rank
  void share(Begin& begin, const TensorFile* checkpoint, const TrainingState& state);

  Request request_;
  Ranks& ranks_;
};

// Ranks must agree before they train together: only the same program, on the same kind of
// processor, with the same config and the same data, computes the same numbers. Throws RankError
// that names a rank which differs from rank 0, and in what.
void expect_same_training(Ranks& ranks, const Config& config, const Task& task,
                          const BlasInfo& blas);

// The sink of this rank: the first one reads and writes the run's files (run_writer.cpp).
std::unique_ptr<RunSink> run_sink(const RunSink::Request& request, Ranks& ranks = alone());

// Loads the newest step checkpoint from which the training can continue, and warns about unusable
// ones. `position`: the start; afterwards that of the checkpoint, if there is one. Throws IoError
// if none of some is usable, or if the start would replace weights that it does not make again.
std::optional<TensorFile> restore_training(const Config& config, const Task& task,
                                           const RunFiles& files, const Identity& identity,
                                           const Checkpoints& checkpoints,
                                           const TrainingState& state, TrainingPosition& position);

// Removes files of the run that no longer belong to it: a best checkpoint by another measure or of
// a later step, and an average that is no longer wanted. Writes the best checkpoint again if there
// is none and the restored weights are the best so far. Returns how good the best checkpoint is, if
// there is one afterwards.
std::optional<BestWeights> keep_weights_of_run(const Config& config, RunSink& sink,
                                               const Identity& identity, ParameterStore& store,
                                               TrainingPosition& position);

}}  // namespace tapehead::TAPEHEAD_PRECISION
