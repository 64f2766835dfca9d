#include "train/run/checkpoints.hpp"

#include <fcntl.h>

#include <charconv>
#include <unordered_map>

#include <spdlog/spdlog.h>

#include "core/random/draws.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/config/config.hpp"
#include "train/run/run_record.hpp"

namespace tapehead {

namespace {

constexpr const char* former_key = "config";

void expect_fact(const TensorFile& file, const std::string& key, const std::string& found,
                 const std::string& expected) {
  static const std::map<std::string, std::string> names{
      {"data", "other data or other options of the task"},
      {"seed", "another seed"},
      {"source_tokenizer", "another source tokenizer"},
      {"target_tokenizer", "another target tokenizer"},
      {former_key, "another model or seed"}};
  if (found != expected) {
    throw IoError("{} comes from {} ({}: {}, not {})", file.path().string(), names.at(key), key,
                  found, expected);
  }
}

constexpr std::string_view suffix = ".safetensors";

// Metadata key: the interval of regular files at that time; 0: written on interruption.
constexpr const char* interval_key = "checkpoint_every";

// nullopt for older or unreadable files. Reads only the header of a large file.
std::optional<Index> interval_of(const fs::path& path) {
  try {
    const MappedFile content(OpenFile(path, O_RDONLY | O_NONBLOCK), path);
    const Metadata metadata = read_intact_header(content.bytes()).metadata;
    const auto found = metadata.find(interval_key);
    const auto interval = found == metadata.end() ? std::nullopt : whole_number(found->second);
    return interval && *interval >= 0 ? interval : std::nullopt;
  } catch (const IoError&) {
    return {};
  }
}

constexpr const char* elapsed_file = "elapsed.json";

}  // namespace

Identity identity_of(const Config& config, const Tokenizers& tokenizers,
                     const std::string& data_fingerprint) {
  Config numbers = config;
  numbers.model.init_from.clear();
  std::string decisive = fmt::format("seed: {}\n{}", config.seed, dump_section(numbers, "model"));
  for (const std::string_view kind : attention_kind_names) {
    decisive += fmt::format("{}:\n{}", kind, dump_section(numbers, kind));
  }
  Identity identity{.facts = meaning_of(config),
                    .former_digest = fmt::format("{:016x}", digest(decisive))};
  identity.facts["seed"] = std::to_string(config.seed);
  identity.facts["source_tokenizer"] = tokenizer_digest(*tokenizers.source);
  identity.facts["target_tokenizer"] = tokenizer_digest(*tokenizers.target);
  if (!data_fingerprint.empty()) {
    identity.facts["data"] = data_fingerprint;
  }
  return identity;
}

void expect_identity(const TensorFile& file, const Identity& identity) {
  const bool former = file.metadata().contains(former_key);
  if (former) {
    expect_fact(file, former_key, file.metadata(former_key), identity.former_digest);
  }
  Config defaults;
  resolve(defaults);
  const auto options = meaning_of(defaults);
  std::vector<std::string> differences;
  for (const auto& [key, value] : identity.facts) {
    const auto option = options.find(key);
    if (former && key != "data") {
      continue;
    }
    if (option == options.end()) {
      expect_fact(file, key, file.metadata(key), value);
      continue;
    }
    const std::string& found = file.metadata().contains(key) ? file.metadata(key) : option->second;
    if (found != value) {
      differences.push_back(fmt::format("{}: {}, not {}", key, found, value));
    }
  }
  if (!differences.empty()) {
    throw IoError("{} comes from another model ({})", file.path().string(), some_of(differences));
  }
}

Metadata weights_metadata(const Identity& identity, Index step) {
  Metadata metadata = identity.facts;
  metadata["step"] = std::to_string(step);
  return metadata;
}

VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours) {
  std::unordered_map<std::string, Index> numbers;
  for (Index id = mark_count; id < theirs.size(); ++id) {
    numbers.emplace(theirs.entry(static_cast<TokenId>(id)), id);
  }
  VocabularyMatch match{.from = {0, 1, 2}, .entries = ours.size() - mark_count};
  static_assert(mark_count == 3);
  for (Index id = mark_count; id < ours.size(); ++id) {
    const auto found = numbers.find(ours.entry(static_cast<TokenId>(id)));
    match.from.push_back(found == numbers.end() ? -1 : found->second);
    match.matched += found == numbers.end() ? 0 : 1;
  }
  return match;
}

Checkpoints::Checkpoints(fs::path directory, std::string prefix, KeptCheckpoints kept, Index every)
    : directory_(std::move(directory)),
      prefix_(std::move(prefix)),
      kept_(kept),
      every_(std::max<Index>(every, 1)) {}

fs::path Checkpoints::file(Index step) const {
  return directory_ / fmt::format("{}_{:08}{}", prefix_, step, suffix);
}

std::vector<Index> Checkpoints::steps() const {
  std::vector<Index> found;
  for (const fs::path& entry : entries_of(directory_)) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(prefix_ + '_') || !name.ends_with(suffix)) {
      continue;
    }
    std::uint32_t step = 0;
    std::from_chars(name.data() + prefix_.size() + 1, name.data() + name.size(), step);
    if (entry == file(step)) {
      found.push_back(step);
    }
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

std::vector<fs::path> Checkpoints::candidates() const {
  return mapped(steps(), [this](Index step) { return file(step); });
}

Metadata Checkpoints::mark(Index step, bool regular) const {
  const Index interval =
      regular || step % every_ == 0 ? every_ : interval_of(file(step)).value_or(0);
  return {{interval_key, std::to_string(interval)}};
}

// Whether an earlier step's file stays if `newer` newer files stay.
bool Checkpoints::stays(Index step, Index newer) const {
  const auto stays_with = [&](Index interval) {
    return interval > 0 && step % interval == 0 && kept_.keep(step / interval, newer);
  };
  if (stays_with(every_)) {
    return true;
  }
  const std::optional<Index> interval = interval_of(file(step));
  return stays_with(interval.value_or(0)) || (kept_.text() == "all" && interval != 0);
}

void Checkpoints::save(Index step, std::span<const TensorEntry> entries, const Metadata& metadata,
                       const EntryBytes& bytes_of) const {
  write_tensor_file(file(step), entries, metadata, bytes_of);
  for (const Index other : steps()) {
    if (other > step) {
      remove_if_possible(file(other));
    }
  }
  remove_surplus(step);
}

void Checkpoints::remove_surplus(Index step) const {
  Index newer = 0;
  for (const Index other : steps()) {
    if (other > step) {
      continue;
    }
    if (newer == 0 || stays(other, newer)) {
      ++newer;
    } else {
      remove_if_possible(file(other));
    }
  }
}

Resumable Checkpoints::find_resumable(const std::function<void(const TensorFile&)>& check) const {
  Resumable result;
  for (const Index step : steps()) {
    bool holds = false;
    try {
      TensorFile content(file(step));
      holds = true;
      if (check) {
        check(content);
      }
      result.newest = std::move(content);
      return result;
    } catch (const SystemError& error) {
      result.refused.push_back({.reason = error.what(), .unread = true});
    } catch (const IoError& error) {
      result.refused.push_back({.reason = error.what(), .holds = holds});
    }
  }
  return result;
}

fs::path find_checkpoint(const RunFiles& files, const std::string& wanted) {
  for (const auto& [name, file] :
       {std::pair("average", files.average()), std::pair("best", files.best())}) {
    if (wanted == name || (wanted.empty() && fs::exists(file))) {
      return file;
    }
  }
  if (!wanted.empty() && wanted != "last") {
    return wanted;
  }
  const auto all = Checkpoints(files.checkpoints(), "step").candidates();
  return all.empty() ? fs::path() : all.front();
}

void write_elapsed_seconds(const fs::path& directory, double seconds) {
  write_file_atomically(directory / elapsed_file, Json{{"seconds", seconds}}.dump() + '\n');
}

double read_elapsed_seconds(const fs::path& directory) {
  const fs::path file = directory / elapsed_file;
  if (!fs::exists(status_of(file))) {
    return 0;
  }
  try {
    return JsonObject(parse_json_file(file), file.string()).seconds("seconds");
  } catch (const IoError& error) {
    spdlog::warn("{}; the training time in this file counts as 0", error.what());
    return 0;
  }
}

double seconds_until(const RunFiles& run, Index step) {
  double seconds = read_elapsed_seconds(run.checkpoints());
  for_each_line(run.times(), [&](const JsonObject& line) {
    if (line.count("step") <= step) {
      seconds = std::max(seconds, line.seconds("seconds"));
    }
  });
  return seconds;
}

}  // namespace tapehead
