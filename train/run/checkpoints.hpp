// The checkpoints of a run: what their numbers mean and were trained on, their names, how many
// stay, and from which a training can resume.
#pragma once

#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"
#include "train/options/training_options.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// The fingerprint of the data of imported weights, of which no text is known.
inline constexpr const char* imported_data = "imported";

struct Identity {
  // The facts in a checkpoint: each option that decides what weights mean, the seed, a digest of
  // each tokenizer, and a fingerprint of the data.
  Metadata facts;
  // What older checkpoints have instead: a digest of all options of the model and of the seed.
  std::string former_digest;
};

// The config must be resolved. An empty fingerprint matches any data.
Identity identity_of(const Config& config, const Tokenizers& tokenizers,
                     const std::string& data_fingerprint = {});

// Throws IoError that names the file and the differences. A missing option has its default there.
void expect_identity(const TensorFile& file, const Identity& identity);

// The entries that two vocabularies have in common, by their text.
struct VocabularyMatch {
  std::vector<Index> from;  // for each entry its number in the other vocabulary, or -1
  Index matched = 0;        // without the marks
  Index entries = 0;        // without the marks
};

// Marks match marks. Of several entries with the same text the first one counts.
VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours);

// A checkpoint that cannot be used.
struct RefusedCheckpoint {
  std::string reason;  // names the file
  bool holds = false;  // it is intact, but belongs to another training
};

struct Resumable {
  std::optional<TensorFile> newest;        // the newest usable one; none: start at step 0
  std::vector<RefusedCheckpoint> refused;  // newer ones that are not usable, newest first
};

// Files `<prefix>_00001000.safetensors` in a directory, one per step. Of those at multiples of
// `every` steps, or of the interval that they were written with, `kept` stay. A checkpoint written
// on interruption is deleted at the next regular save, and that of a training's end, which need not
// be such a multiple, unless all stay.
class Checkpoints {
 public:
  Checkpoints(std::filesystem::path directory, std::string prefix, KeptCheckpoints kept = {},
              Index every = 1);

  std::filesystem::path file(Index step) const;

  // The steps of the existing files, newest first, whether they are valid or not.
  std::vector<Index> steps() const;
  std::vector<std::filesystem::path> candidates() const;

  // For the metadata of a file, so that a later save, perhaps with another interval, knows whether
  // it is regular: not because of a stop. It stays regular if its step is saved again.
  Metadata mark(Index step, bool regular) const;

  // Writes the file of a step. When it is safely written, removes those that do not stay, those
  // between regular steps, and those of later steps, which remain from before a resume. Throws
  // IoError, and leaves all other files unchanged. `bytes_of`: see write_tensor_file().
  void save(
      Index step, std::span<const TensorEntry> entries, const Metadata& metadata,
      const EntryBytes& bytes_of = [](const TensorEntry& entry) { return entry.bytes; }) const;

  // Removes what a save that was interrupted did not: of the files up to `step`, those that do not
  // stay beside the newest of them.
  void remove_surplus(Index step) const;

  // Reads files, newest first, until one is valid. `check` may reject a file by throwing IoError.
  Resumable find_resumable(const std::function<void(const TensorFile&)>& check = {}) const;

 private:
  bool stays(Index step, Index newer) const;

  std::filesystem::path directory_;
  std::string prefix_;
  KeptCheckpoints kept_;
  Index every_;
};

// Seconds of training so far, beside the checkpoints. An unreadable file warns and counts as 0.
void write_elapsed_seconds(const std::filesystem::path& directory, double seconds);
double read_elapsed_seconds(const std::filesystem::path& directory);

// Seconds of training of a run that resumes from a step: the stored ones, but at least those of
// times.jsonl up to this step, because a killed process may not have stored them.
double seconds_until(const RunFiles& run, Index step);

}  // namespace tapehead
