// The run writer: the run sink that reads and writes the files of a run.
#include <spdlog/spdlog.h>

#include "core/files/process.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/events/event_log.hpp"
#include "train/loop/initial_weights.hpp"
#include "train/loop/run_sink.hpp"
#include "train/output/logging.hpp"
#include "train/output/text_table.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr WaysOut ways_out{.resume = true};

class RunWriter final : public RunSink {
 public:
  using RunSink::RunSink;

  void expect_available(const LoadedConfig& loaded) override {
    if (request_.resume) {
      return;
    }
    RunDirectory::expect_available(files().directory, request_.overwrite, ways_out);
    if (request_.overwrite) {
      RunDirectory::expect_keeps(files().directory, inputs_of_config(loaded));
    }
  }

  void expect_data_of_start(const TaskOptions& data) override {
    if (!fs::exists(files().checkpoints()) ||
        Checkpoints(files().checkpoints(), "step").steps().empty()) {
      FileDigests digests;
      expect_data_of(files(), data, digests,
                     "restore the file (--data DIR names the directory of the data), or start "
                     "another run with --run DIR");
    }
  }

  void open(const Config& config, const Task& task, const BlasInfo& blas) override {
    if (!request_.resume) {
      check_initial_weights(config, task);
    }
    RunSink::open(config, task, blas);
    directory_.emplace(request_.resume
                           ? RunDirectory::open(files().directory)
                           : RunDirectory::create(files().directory, request_.overwrite, ways_out));
    log_.emplace(files().log());
  }

  Begin begin(const Config& config, const Task& task, const TrainingState& state,
              Model& model) override {
    const Tokenizers tokenizers{task.source_tokenizer, task.target_tokenizer};
    const TrainingOptions& training = config.training;
    const Index every = *training.checkpoint_every;
    averages_ = training.average_last > 0;
    identity_ = identity_of(config, tokenizers, task.fingerprint);
    checkpoints_.emplace(files().checkpoints(), "step", training.checkpoint_keep, every);
    weights_.emplace(files().checkpoints(), "weights",
                     KeptCheckpoints(std::max<Index>(1, training.average_last)), every);
    metrics_.emplace(files().metrics());
    times_.emplace(files().times());
    Begin begin{
        .position = {.batching = training.batching(), .measure = measure_of(config.evaluation)}};
    std::optional<TensorFile> checkpoint;
    if (request_.resume) {
      checkpoint =
          restore_training(config, task, files(), identity_, *checkpoints_, state, begin.position);
    }
    if (begin.position.step == 0 && !config.model.init_from.empty()) {
      spdlog::info("{}", load_initial_weights(config, tokenizers, model));
    }
    if (request_.resume) {
      begin.elapsed = begin.position.step > 0 ? seconds_until(files(), begin.position.step) : 0;
      begin.best = keep_weights_of_run(config, *this, identity_, model.store, begin.position);
    }
    share(begin, checkpoint ? &*checkpoint : nullptr, state);
    return begin;
  }

  void go_on_from(Index step, const Config& config, bool finished) override {
    const bool same = fs::exists(status_of(files().config())) &&
                      read_file(files().config()) == dump_config(config);
    if (!finished || !same) {
      for (const auto& file : {files().report(), files().scores(), files().replay()}) {
        remove_file(file);
      }
    }
    checkpoints_->remove_surplus(step);
    weights_->remove_surplus(step);
    metrics_->truncate_after(step);
    times_->truncate_after(step);
    truncate_event_files(files().directory, step);
    if (config.run.tensorboard) {
      events_.emplace(files().directory, step, dump_config(config));
    }
  }

  void start(const LoadedConfig& loaded, const Task& task, const TaskOptions& data,
             const RunStart& start) override {
    write_run_data(files(), loaded.config.task, data);
    // written.yaml comes first: if the process stops before config.yaml is written, the user is
    // told where the two disagree, and can repeat the same `--set`.
    if (loaded.written) {
      write_file_atomically(files().written(), written_text(*loaded.written));
    }
    write_file_atomically(files().config(), dump_config(loaded.config));
    save_texts(task, files().directory);
    if (!has_tokenizers(files().directory)) {
      save_tokenizers({task.source_tokenizer, task.target_tokenizer}, files().directory);
    }
    if (request_.resume) {
      record_ = read_record(files().record()).value_or(RunRecord{});
    }
    add_start(record_, start, loaded.origins);
    record_.starts.back().ranks = ranks_.count();
    write_record(files().record(), record_);
  }

  void write_step(const Json& line, Index step, double elapsed) override {
    metrics_->write(line);
    times_->write({{"step", step}, {"seconds", elapsed}});
    if (events_) {
      events_->write(line);
    }
  }

  void write_evaluation(const Json& line, const std::vector<std::string>& samples) override {
    metrics_->write(line);
    if (events_) {
      events_->write(line, samples);
    }
  }

  void save_best(const ParameterStore& store, Index step, const BestWeights& best) override {
    sync_lines();
    Metadata metadata = weights_metadata(identity_, step);
    metadata.merge(best_metadata(best));
    write_tensor_file(files().best(), weight_entries(store), metadata);
  }

  void save(const TrainingState& state, const TrainingPosition& position, double elapsed,
            bool regular) override {
    expect_finite_weights(state.store, position.step);
    expect_same_weights(state.store, position.step, ranks_);
    sync_lines();
    // The weights for the average come before the step checkpoint: if the process is killed in
    // between, the resumed run writes the same weights again.
    if (regular && averages_) {
      const Metadata metadata = weights_metadata(identity_, position.step);
      Metadata marked = metadata;
      marked.merge(weights_->mark(position.step, regular));
      weights_->save(position.step, weight_entries(state.store), marked);
      write_weight_average(weights_->candidates(), state.store, metadata, files().average());
    }
    Metadata metadata = identity_.facts;
    metadata.merge(position_metadata(position));
    metadata.merge(checkpoints_->mark(position.step, regular));
    checkpoints_->save(position.step, training_entries(state), metadata,
                       entry_bytes(state, ranks_));
    write_elapsed_seconds(files().checkpoints(), elapsed);
  }

  std::string keep_for_replay(const Replay& replay, const ParameterStore& store) override {
    std::string text = fmt::format("\nto repeat the step: {} replay {}", program_path(),
                                   shell_word(files().replay().string()));
    try {
      write_replay(files().replay(), replay, store);
    } catch (const IoError& error) {
      text = fmt::format("\nno replay was kept: {}", error.what());
    }
    return text_of_first(ranks_, text);
  }

  fs::path load_final_weights(ParameterStore& store) override {
    const SavedRun saved(files().directory);
    std::ranges::copy(saved.model.store.values().values(), store.values().values().begin());
    share_weights(store, ranks_);
    return text_of_first(ranks_, saved.checkpoint.string());
  }

  void end(const RunEnd& end) override {
    record_.end = {.step = end.step, .seconds = end.seconds};
    if (end.step > record_.starts.back().step) {
      record_.peak_memory = std::max(record_.peak_memory.value_or(0), process_memory().peak);
    }
    for (const auto& [split, evaluation] : end.tests) {
      record_.end->tests[split] = evaluation_json(evaluation);
    }
    write_record(files().record(), record_);
  }

 private:
  // Called before a checkpoint is written: a resume does not write the lines before it again.
  void sync_lines() {
    metrics_->sync();
    times_->sync();
    if (events_) {
      events_->sync();
    }
  }

  std::optional<RunDirectory> directory_;
  std::optional<LogFile> log_;
  bool averages_ = false;
  Identity identity_;
  std::optional<Checkpoints> checkpoints_;  // with optimiser state
  std::optional<Checkpoints> weights_;      // the newest weights, for the average
  std::optional<MetricsLog> metrics_;
  std::optional<MetricsLog> times_;  // a separate file, since times differ in every run
  std::optional<EventLog> events_;   // only with run.tensorboard
  RunRecord record_;
};

}  // namespace

std::unique_ptr<RunSink> run_sink(const RunSink::Request& request, Ranks& ranks) {
  return ranks.first() ? std::make_unique<RunWriter>(request, ranks)
                       : std::make_unique<RunSink>(request, ranks);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
