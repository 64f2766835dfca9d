// The run sink: what a training reads from its run directory and writes to it, also at a resume.
// Only rank 0 uses the files; the sinks of other ranks receive what rank 0 has read.
#pragma once

#include "core/product/blas_kernels.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/loop/replay.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// How a run ended: regularly, or by a signal, after which it can be resumed.
struct RunEnd {
  int signal = 0;  // 0, SIGINT, SIGTERM, SIGHUP or SIGUSR1
  Index step = 0;
  double seconds = 0;    // of training
  SplitResults tests{};  // of each of final_splits(), if the run ended regularly
};

// A training calls the functions in the order of their declaration, on all ranks. This base class
// is the sink of a rank that does not write.
class RunSink : NotCopied {
 public:
  struct Request {
    RunFiles files;
    bool resume = false;     // continue the run in the directory
    bool overwrite = false;  // replace a run in the directory
  };
  RunSink(const Request& request, Ranks& ranks) : request_(request), ranks_(ranks) {}
  virtual ~RunSink() = default;

  // Throws if the run would replace its own inputs, or an existing run without `overwrite`.
  virtual void expect_available(const LoadedConfig&) {}

  // Throws IoError if a run without a checkpoint has other data than at its start, because its
  // vocabulary comes from that data. A checkpoint stores which data it belongs to.
  virtual void expect_data_of_start(const TaskOptions&) {}

  // Throws if the initial weights do not fit. Throws RankError if a rank differs from rank 0,
  // naming rank and difference: ranks compute the same numbers only with the same program, kind of
  // processor, config and data. Otherwise creates or opens the directory, and locks it and logs to
  // its log.txt while the sink exists.
  virtual void open(const Config& config, const Task& task, const BlasInfo& blas);

  // Loads weights, moments and memory; returns where the training starts: see restore_training(),
  // load_initial_weights() and keep_weights_of_run(). `config` has its intervals set.
  struct Begin {
    TrainingPosition position;
    double elapsed = 0;  // seconds of training
    std::optional<BestWeights> best{};
  };
  virtual Begin begin(const Config& config, const Task& task, const TrainingState& state,
                      Model& model);

  // Removes lines of later steps, which will be written again. Also removes files that describe the
  // run's earlier state, unless it is finished and `config` equals the stored config.
  virtual void go_on_from(Index, const Config& /*config*/, bool /*finished*/) {}

  // Writes all files that a run directory has before the first step, and the record of this start.
  virtual void start(const LoadedConfig&, const Task&, const TaskOptions&, const RunStart&) {}

  virtual void write_step(const Json& /*line*/, Index /*step*/, double /*elapsed*/) {}
  virtual void write_evaluation(const Json& /*line*/, const std::vector<std::string>& /*samples*/) {
  }
  virtual void save_best(const ParameterStore&, Index /*step*/, const BestWeights&) {}

  // Writes a step checkpoint and, if configured, the average of weights. `regular`: not because of
  // a stop. First throws NumericError for weights that are not finite, RankError if ranks differ.
  virtual void save(const TrainingState& state, const TrainingPosition& position, double elapsed,
                    bool regular);

  // Saves a failed step; returns the text with the command that repeats it.
  virtual std::string keep_for_replay(const Replay& replay, const ParameterStore& store);

  // Loads the weights that a user of the run gets by default; returns their file.
  virtual fs::path load_final_weights(ParameterStore& store);

  virtual void end(const RunEnd&) {}

  // How ranks share the work, and how many bytes rank 0 sends per step; empty for one process.
  std::string row(Index shards, double bytes_sent) const;
  Team team(Workers& workers) const { return {workers, ranks_}; }
  const RunFiles& files() const { return request_.files; }

 protected:
  void share(Begin& begin, const TensorFile* checkpoint, const TrainingState& state);

  Request request_;
  Ranks& ranks_;
};

// The sink of this rank; rank 0 gets the run writer (run_writer.cpp).
std::unique_ptr<RunSink> run_sink(const RunSink::Request& request, Ranks& ranks = alone());

// Loads the newest usable step checkpoint, and warns about unusable newer ones. `position`: the
// start; replaced by the checkpoint's position. Returns nullopt if there is no checkpoint. Throws
// IoError if none is usable, or if the start would replace weights that it does not produce again.
std::optional<TensorFile> restore_training(const Config& config, const Task& task,
                                           const RunFiles& files, const Identity& identity,
                                           const Checkpoints& checkpoints,
                                           const TrainingState& state, TrainingPosition& position);

// Removes files that no longer belong to the run: a best checkpoint by another measure or of a
// later step, and an unwanted average. Writes the best checkpoint again if it is missing and the
// restored weights are the best so far. Returns how good the best checkpoint is, if there is one.
std::optional<BestWeights> keep_weights_of_run(const Config& config, RunSink& sink,
                                               const Identity& identity, ParameterStore& store,
                                               TrainingPosition& position);

}}  // namespace tapehead::TAPEHEAD_PRECISION
