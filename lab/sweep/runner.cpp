#include "lab/sweep/runner.hpp"

#include <fstream>

#include "core/text.hpp"
#include "lab/sweep/directory.hpp"
#include "train/run/data.hpp"

namespace tapehead {

namespace {

// Throws if config or data of an existing run have changed: cells trained on different data must
// not be compared.
void expect_same(const SweepPlan& plan, const SweepRun& run, const RunFiles& files,
                 FileDigests& digests) {
  if (fs::is_symlink(link_status_of(files.directory))) {
    throw IoError("cannot write into {}: it is a symbolic link; replace it by its directory",
                  files.directory.string());
  }
  if (fs::exists(files.config())) {
    const LoadedConfig there = load_config(find_run(files.directory).config());
    if (dump_config(there.config) != dump_config(run.config)) {
      throw IoError(
          "run {} exists with another config ({}); choose another directory with --run DIR, or "
          "remove the run",
          files.directory.string(), join(differences(there, run.config), "; "));
    }
  }
  if (fs::exists(files.data())) {
    expect_data_of(files, find_config_data(plan.config, run.config.task), digests,
                   "restore the file, choose another directory with --run DIR, or remove the run");
  }
}

std::vector<std::string> training_arguments(const SweepPlan& plan, const SweepRun& run,
                                            const fs::path& directory, Index threads) {
  std::vector<std::string> arguments{"train",     plan.config.string(),
                                     "--run",     directory.string(),
                                     "--threads", std::to_string(threads)};
  // Making many pages takes long, so runs make pages only if the sweep asks for them.
  if (std::ranges::none_of(run.overrides, [](const std::string& option) {
        return option.starts_with("run.report=");
      })) {
    arguments.emplace_back("--no-report");
  }
  for (const std::string& value : run.overrides) {
    arguments.insert(arguments.end(), {"--set", value});
  }
  if (fs::exists(directory)) {
    arguments.emplace_back("--resume");
  }
  return arguments;
}

std::vector<std::string> scoring_arguments(const SweepPlan& plan, const fs::path& directory,
                                           Index threads) {
  std::vector<std::string> arguments{"score-run", directory.string(), "--threads",
                                     std::to_string(threads)};
  if (!plan.split.empty()) {
    arguments.insert(arguments.end(), {"--split", plan.split});
  }
  for (const std::string& split : plan.study.further_splits) {
    arguments.insert(arguments.end(), {"--further-split", split});
  }
  if (!plan.study.sentence.empty()) {
    arguments.push_back("--sentence=" + plan.study.sentence);  // it may begin with a dash
  }
  for (const auto& [name, wanted] :
       {std::pair("--heads", plan.study.heads), std::pair("--importance", plan.study.importance),
        std::pair("--pruning", plan.study.pruning), std::pair("--maps", plan.study.maps)}) {
    if (wanted) {
      arguments.emplace_back(name);
    }
  }
  return arguments;
}

bool is_finished(const SweepPlan& plan, const fs::path& run) {
  try {
    const RunScores scores = read_scores(run);
    return (plan.split.empty() || scores.split == plan.split) && scores.study.covers(plan.study);
  } catch (const IoError&) {
    return false;
  }
}

// A free place on a rank where the run has not failed.
std::optional<Index> place_for(const SweepRunner::Run& run, const SweepPlaces& places) {
  for (Index place = 0; place < places.count(); ++place) {
    const auto beside = [&](Index other) { return places.rank_of(other) == places.rank_of(place); };
    if (places.is_free(place) && std::ranges::none_of(run.failed_at, beside)) {
      return place;
    }
  }
  return std::nullopt;
}

}  // namespace

const RunProgress& RunWatch::look() {
  std::error_code error;
  const auto size = fs::file_size(file_, error);
  progress_.readable = !error || error == std::errc::no_such_file_or_directory;
  if (error) {
    return progress_;
  }
  if (static_cast<std::streamoff>(size) < read_) {
    read_ = 0;  // a resumed training has removed lines
  }
  std::ifstream stream(file_, std::ios::binary);
  stream.seekg(read_);
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) {  // eof: the line is still incomplete
    take(line);
    read_ += static_cast<std::streamoff>(line.size()) + 1;
  }
  progress_.readable = !stream.bad();
  return progress_;
}

void RunWatch::take(std::string_view line) {
  Json json;
  try {
    json = parse_json(line, file_.string());
  } catch (const IoError&) {
    return;  // reading the whole file reports the error
  }
  const auto number = [&](std::string_view name) -> std::optional<double> {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
  };
  if (json.contains("split")) {
    progress_.metric = number(kind_of(metric_).name);
  } else if (json.is_object()) {
    progress_.step = count_in(json, "step").value_or(0);
    progress_.epoch = count_in(json, "epoch").value_or(0);
    progress_.loss = number("loss");
  }
}

std::string progress_text(const RunProgress& progress, const TrainingOptions& training) {
  if (training.steps) {
    return fmt::format("step {}/{}", progress.step, *training.steps);
  }
  if (training.epochs) {
    const Index epoch = std::min(progress.epoch + 1, *training.epochs);
    return fmt::format("epoch {}/{}", epoch, *training.epochs);
  }
  return fmt::format("step {}", progress.step);
}

SweepRunner::SweepRunner(SweepWork work) : work_(std::move(work)) {
  FileDigests digests;
  for (const SweepRun& run : work_.plan.runs) {
    const fs::path directory = work_.directory / run.name;
    expect_same(work_.plan, run, {directory}, digests);
    runs_.push_back({.directory = directory,
                     .log = work_.directory / (run.name + ".log"),
                     .watch = RunWatch(RunFiles{directory}.metrics(), work_.plan.metric)});
    if (is_finished(work_.plan, directory)) {
      runs_.back().state = RunState::finished;
      runs_.back().before = true;
    } else {
      wait_for_lock(RunFiles{directory}.lock());
    }
  }
}

bool SweepRunner::advance() {
  for (Run& run : runs_) {
    if (const auto code = run.place ? work_.places.take_exit_code(*run.place) : std::nullopt) {
      note_end(run, *code);
    }
  }
  for (std::size_t i = 0; i < runs_.size() && !stopping_; ++i) {
    Run& run = runs_[i];
    if (const auto place =
            run.state == RunState::waiting ? place_for(run, work_.places) : std::nullopt) {
      look_again(work_.directory);
      start(run, RunState::training, *place,
            training_arguments(work_.plan, work_.plan.runs[i], run.directory, work_.threads));
    }
  }
  return std::ranges::any_of(runs_, [](const Run& run) { return run.place.has_value(); });
}

void SweepRunner::note_end(Run& run, int exit_code) {
  const Index place = *std::exchange(run.place, std::nullopt);
  if (exit_code == 0 && run.state == RunState::training && !stopping_) {
    start(run, RunState::scoring, place,
          scoring_arguments(work_.plan, run.directory, work_.threads));
  } else if (exit_code == 0 && run.state == RunState::scoring) {
    run.state = RunState::finished;
  } else if (stopping_) {
    run.state = RunState::waiting;
  } else {
    run.exit_code = exit_code;
    run.failed_at.push_back(place);
    run.state = run.failed_at.size() < work_.places.tries() ? RunState::waiting : RunState::failed;
  }
}

void SweepRunner::start(Run& run, RunState state, Index place, std::vector<std::string> arguments) {
  work_.places.start(place, {.log = run.log, .arguments = std::move(arguments)});
  run.state = state;
  run.place = place;
  run.last_place = place;
}

void SweepRunner::stop(int signal) {
  stopping_ = true;
  work_.places.send_to_all(signal);
}

Index SweepRunner::count(RunState state) const {
  return std::ranges::count(runs_, state, &Run::state);
}

std::vector<std::optional<RunScores>> SweepRunner::scores() const {
  look_again(work_.directory);
  std::vector<std::optional<RunScores>> scores(runs_.size());
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].state == RunState::finished) {
      look_again(runs_[i].directory);
      scores[i] = read_scores(runs_[i].directory);
      update_cost(*scores[i], runs_[i].directory);
    }
  }
  return scores;
}

}  // namespace tapehead
