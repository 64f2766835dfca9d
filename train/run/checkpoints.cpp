#include "train/run/checkpoints.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/files/open_file.hpp"
#include "train/output/json_text.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".safetensors";

fs::path elapsed_file(const fs::path& directory) { return directory / "elapsed.json"; }

}  // namespace

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
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix_ + '_') || !name.ends_with(suffix)) {
      continue;
    }
    std::uint32_t step = 0;
    std::from_chars(name.data() + prefix_.size() + 1, name.data() + name.size(), step);
    if (entry.path() == file(step)) {
      found.push_back(step);
    }
  }
  if (error) {
    throw io_error("read", directory_, error.value());
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

std::vector<fs::path> Checkpoints::candidates() const {
  std::vector<fs::path> files;
  std::ranges::transform(steps(), std::back_inserter(files),
                         [this](Index step) { return file(step); });
  return files;
}

void Checkpoints::save(Index step, std::span<const TensorEntry> entries,
                       const Metadata& metadata) const {
  save(step, entries, metadata, [](const TensorEntry& entry) { return entry.bytes; });
}

void Checkpoints::save(Index step, std::span<const TensorEntry> entries, const Metadata& metadata,
                       const EntryBytes& bytes_of) const {
  write_tensor_file(file(step), entries, metadata, bytes_of);
  Index newer = 0;
  for (const Index other : steps()) {
    const bool between = other < step && other % every_ != 0;
    if (other > step || between || !kept_.keep(other / every_, newer++)) {
      std::error_code ignored;  // one file too many does no harm
      fs::remove(file(other), ignored);
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
      result.newest.emplace(StepCheckpoint{.step = step, .content = std::move(content)});
      return result;
    } catch (const IoError& error) {
      result.refused.push_back({.step = step, .reason = error.what(), .holds = holds});
    }
  }
  return result;
}

fs::path best_checkpoint(const fs::path& directory) { return directory / "best.safetensors"; }

fs::path average_checkpoint(const fs::path& directory) { return directory / "average.safetensors"; }

void write_elapsed_seconds(const fs::path& directory, double seconds) {
  write_file_atomically(elapsed_file(directory),
                        nlohmann::ordered_json{{"seconds", seconds}}.dump() + '\n');
}

double read_elapsed_seconds(const fs::path& directory) {
  const fs::path file = elapsed_file(directory);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return 0;
  }
  try {
    return JsonObject(parse_json(read_file(file), file.string()), file.string()).seconds("seconds");
  } catch (const IoError& error) {
    spdlog::warn("{}; the training time so far is counted as 0", error.what());
    return 0;
  }
}

}  // namespace tapehead
