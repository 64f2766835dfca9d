#include "train/loop/run_sink.hpp"

#include "core/ranks/sharing.hpp"
#include "train/loop/rank_agreement.hpp"
#include "train/run/rank_checkpoint.hpp"
#include "train/step/step_errors.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void RunSink::open(const Config& config, const Task& task, const BlasInfo& blas) {
  expect_same_training(ranks_, config, task, blas);
}

RunSink::Begin RunSink::begin(const Config&, const Task&, const TrainingState& state, Model&) {
  Begin begin;
  share(begin, nullptr, state);
  return begin;
}

void RunSink::share(Begin& begin, const TensorFile* checkpoint, const TrainingState& state) {
  share_training(checkpoint, state, begin.position, ranks_);
  begin.elapsed = value_of_first(ranks_, begin.elapsed);
  begin.best = value_of_first(ranks_, begin.best);
}

void RunSink::save(const TrainingState& state, const TrainingPosition& position, double, bool) {
  expect_finite_weights(state.store, position.step);
  expect_same_weights(state.store, position.step, ranks_);
  const EntryBytes bytes_of = entry_bytes(state, ranks_);
  for (const TensorEntry& entry : in_file_order(training_entries(state))) {
    bytes_of(entry);
  }
}

std::string RunSink::decided(std::string_view mine) { return text_of_first(ranks_, mine); }

std::string RunSink::keep_for_replay(const Replay&, const ParameterStore&) { return decided(""); }

std::filesystem::path RunSink::load_final_weights(ParameterStore& store) {
  share_weights(store, ranks_);
  return decided("");
}

std::string RunSink::row(Index shards, double bytes_sent) const {
  return ranks_text(ranks_, shards, bytes_sent);
}

std::unique_ptr<RunSink> run_sink(const RunSink::Request& request, Ranks& ranks) {
  return ranks.first() ? run_writer(request, ranks) : std::make_unique<RunSink>(request, ranks);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
