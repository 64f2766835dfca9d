// The checkpoints of a run: their names, how many are kept, and which one a training can go on
// from.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/files/tensor_file.hpp"
#include "core/types.hpp"

namespace tapehead {

// A checkpoint that holds, read and verified.
struct StepCheckpoint {
  Index step = 0;
  TensorFile content;
};

// A checkpoint that cannot be used, and why; the reason names the file.
struct RefusedCheckpoint {
  Index step = 0;
  std::string reason;
  bool holds = false;  // it is whole, but not of this training
};

struct Resumable {
  std::optional<StepCheckpoint> newest;    // the newest that holds; none: start at step 0
  std::vector<RefusedCheckpoint> refused;  // newer ones, newest first
};

// Files `<prefix>_00001000.safetensors` of a directory, one per step. The newest of each `every`
// steps are kept; one in between, from a stop, only until the next.
class Checkpoints {
 public:
  Checkpoints(std::filesystem::path directory, std::string prefix, Index keep, Index every = 1);

  std::filesystem::path file(Index step) const;

  // Steps of the files that are there, newest first, whether or not they hold.
  std::vector<Index> steps() const;
  std::vector<std::filesystem::path> candidates() const;

  // Writes the file of a step; once it is safely there, removes those beyond `keep`, those between
  // regular steps, and those of later steps, which a resumed training has left behind. Throws
  // IoError, with all others untouched.
  void save(Index step, std::span<const TensorEntry> entries, const Metadata& metadata) const;

  // Reads files, newest first, until one holds. `check` may refuse one by an IoError.
  Resumable find_resumable(const std::function<void(const TensorFile&)>& check = {}) const;

 private:
  std::filesystem::path directory_;
  std::string prefix_;
  std::size_t keep_;
  Index every_;
};

// Beside the step files, weights only: the best by the chosen metric, and the mean of the last
// ones.
std::filesystem::path best_checkpoint(const std::filesystem::path& directory);
std::filesystem::path average_checkpoint(const std::filesystem::path& directory);

// Seconds of training so far, beside the checkpoints, since a checkpoint knows of no clock. What
// cannot be read counts as 0, with a warning.
void write_elapsed_seconds(const std::filesystem::path& directory, double seconds);
double read_elapsed_seconds(const std::filesystem::path& directory);

}  // namespace tapehead
