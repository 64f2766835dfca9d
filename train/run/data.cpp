#include "train/run/data.hpp"

#include <spdlog/spdlog.h>

#include "core/files/json_text.hpp"
#include "core/random/draws.hpp"
#include "core/text.hpp"
#include "datasets/corpus/token_text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

namespace {

struct Place {
  std::string path;  // as in the config
  fs::path absolute;
  fs::path relative;  // to the run
  std::string digest;
};

bool is_there(const fs::path& file) { return fs::is_regular_file(status_of(file)); }

// Empty if the file is missing or not a regular file, such as a pipe, which can be read only once.
std::string digest_of(const fs::path& file) {
  return is_there(file) ? fmt::format("{:016x}", digest(read_file(file))) : "";
}

using Places = std::map<std::string, Place, std::less<>>;

Places read_places(const fs::path& file) {
  if (!fs::exists(status_of(file))) {
    return {};
  }
  const std::string where = file.string();
  const Json all = parse_json_file(file);
  const JsonObject options(all, where);
  Places places;
  for (const auto& [option, json] : all.items()) {
    const JsonObject place(options.table(option.c_str()), where);
    places[option] = {.path = place.text("path"),
                      .absolute = place.text("absolute"),
                      .relative = place.text("relative"),
                      .digest = place.text("digest")};
  }
  return places;
}

IoError other_bytes(const fs::path& run, std::string_view option, const std::string& file,
                    std::string_view ways_out) {
  return IoError("run {} began with other data (task.{}: {} has changed since); {}", run.string(),
                 option, file, ways_out);
}

std::vector<fs::path> candidates_of(const RunFiles& run, const fs::path& path, const Place* place,
                                    const fs::path& directory) {
  std::vector<fs::path> candidates{directory / path.relative_path(), directory / path.filename()};
  if (directory.empty() && place == nullptr) {
    candidates = {path};
  } else if (directory.empty()) {
    candidates = {place->absolute,
                  (fs::weakly_canonical(run.directory) / place->relative).lexically_normal()};
  }
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

// Null for a path that was set again.
const Place* place_of(const Places& places, const DataFile& file) {
  const auto recorded = places.find(file.option);
  return recorded != places.end() && recorded->second.path == *file.path ? &recorded->second
                                                                         : nullptr;
}

// Tells the user which files are read, because the run chose them.
void say_opened(const fs::path& run, const std::vector<std::string>& files) {
  if (!files.empty()) {
    spdlog::info("run {}: reading these files, which its data.json names: {}", run.string(),
                 join(files, ", "));
  }
}

// Without a directory, accepts only files with the recorded bytes, because the run's author could
// have recorded the path of any private file of its reader. `unrecorded`: also files that only the
// config names.
TaskOptions find_data(const RunFiles& run, const TaskOptions& task, const fs::path& directory,
                      bool unrecorded, std::string_view ways_out) {
  const auto places = read_places(run.data());
  TaskOptions found = task;
  std::vector<std::string> opened;  // files chosen by the record
  for (const DataFile& file : data_files(found)) {
    const auto& [option, path] = file;
    const Place* const place = place_of(places, file);
    if (place == nullptr && directory.empty()) {
      if (unrecorded) {
        continue;
      }
      throw IoError(
          "run {} has no record of {} (task.{}), which may be any file; give the directory of the "
          "run's data with --data DIR, or measure on this file with --other-data",
          run.directory.string(), *path, option);
    }
    const auto candidates = candidates_of(run, *path, place, directory);
    std::vector<fs::path> there;
    std::ranges::copy_if(candidates, std::back_inserter(there), is_there);
    if (there.empty()) {
      const auto name = [](const fs::path& candidate) { return candidate.string(); };
      throw IoError(
          "run {}: task.{}: there is {} {}; give the directory of the run's data with --data DIR",
          run.directory.string(), option, candidates.size() > 1 ? "neither" : "no",
          join(candidates | std::views::transform(name), " nor "));
    }
    const auto same = std::ranges::find_if(there, [&](const fs::path& one) {
      return place != nullptr && !place->digest.empty() && digest_of(one) == place->digest;
    });
    const std::string chosen = (same == there.end() ? there.front() : *same).string();
    if (directory.empty()) {
      opened.push_back(chosen);
      if (same == there.end()) {
        say_opened(run.directory, opened);
        throw other_bytes(run.directory, option, chosen, ways_out);
      }
    }
    *path = chosen;
  }
  say_opened(run.directory, opened);
  return found;
}

void add_data(InputFiles& inputs, const TaskOptions& task, const fs::path& path) {
  task.kind().kept_as_tokens ? inputs.add(matching_files(path.string())) : inputs.add(path);
}

}  // namespace

void write_run_data(const RunFiles& run, TaskOptions written, TaskOptions found) {
  if (written.kind().kept_as_tokens) {
    return;  // the run stores the text itself
  }
  Json json = Json::object();
  for (const DataFile& file : data_files(written)) {
    json[std::string(file.option)] = {{"path", *file.path}};
  }
  for (const DataFile& file : data_files(found)) {
    json[std::string(file.option)].update(
        {{"absolute", fs::absolute(*file.path).lexically_normal().string()},
         {"relative", fs::proximate(*file.path, run.directory).string()},
         {"digest", digest_of(*file.path)}});
  }
  if (!json.empty()) {
    write_file_atomically(run.data(), json_text(json, 2) + '\n');
  }
}

std::string why_no_files(const RunFiles& run, TaskOptions task) {
  if (task.kind().kept_as_tokens && has_token_files(run.directory)) {
    return "keeps its text as tokens and reads no other text";
  }
  return data_files(task).empty() ? "makes its data from the seed" : "";
}

TaskOptions find_run_data(const RunFiles& run, const TaskOptions& task, const DataChoice& choice) {
  if (const std::string why = why_no_files(run, task); !why.empty()) {
    if (!choice.directory.empty()) {
      throw ConfigError("--data: run {} {}; leave --data out", run.directory.string(), why);
    }
    return task;
  }
  return find_data(run, task, choice.directory, choice.other,
                   "restore the file, or give the directory of the data with --data DIR");
}

TaskOptions find_config_data(const fs::path& config, const TaskOptions& task) {
  const fs::path directory = config.has_parent_path() ? config.parent_path() : ".";
  return is_run(directory) && why_no_files({directory}, task).empty()
             ? find_data({directory}, task, {}, true,
                         "restore the file, or copy the config elsewhere")
             : task;
}

void expect_data_of(const RunFiles& run, TaskOptions found, FileDigests& digests,
                    std::string_view ways_out) {
  const auto places = read_places(run.data());
  for (const auto& [option, path] : data_files(found)) {
    const auto place = places.find(option);
    if (place == places.end() || place->second.digest.empty()) {
      continue;
    }
    if (!digests.contains(*path)) {
      digests.emplace(*path, digest_of(*path));
    }
    const std::string& now = digests.at(*path);
    if (!now.empty() && now != place->second.digest) {
      throw other_bytes(run.directory, option, *path, ways_out);
    }
  }
}

void save_texts(const Task& task, const fs::path& run) {
  const bool tokenizers_kept = has_tokenizers(run);
  for (const Split& split : task.splits) {
    const fs::path file = token_file(run, split.name);
    if (split.text.tokens && !(tokenizers_kept && fs::exists(file))) {
      make_directories(file.parent_path());
      split.text.tokens->save(file);
    }
  }
}

InputFiles inputs_of_run(const fs::path& directory, const DataChoice& data) {
  InputFiles inputs;
  const RunFiles run = find_run(directory);
  inputs.add(files_of_run(directory));
  try {
    TaskOptions task = load_config(run.config()).config.task;
    const Places places = read_places(run.data());
    for (const DataFile& file : data_files(task)) {
      for (const fs::path& path :
           candidates_of(run, *file.path, place_of(places, file), data.directory)) {
        add_data(inputs, task, path);
      }
    }
  } catch (const IoError&) {
    return inputs;  // a missing file cannot be overwritten
  }
  return inputs;
}

InputFiles inputs_of_training(const Config& config) {
  InputFiles inputs;
  TaskOptions task = config.task;
  for (const DataFile& file : data_files(task)) {
    add_data(inputs, task, *file.path);
  }
  if (!config.model.init_from.empty()) {
    inputs.add(files_of_run(config.model.init_from));
  }
  return inputs;
}

InputFiles inputs_of_config(const LoadedConfig& loaded) {
  InputFiles inputs = inputs_of_training(loaded.config);
  inputs.add(loaded.files);
  return inputs;
}

}  // namespace tapehead
