// A run's checkpoints: identity (model, tokenizers, data), names, number, and use at a resume.
#pragma once

#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// The data fingerprint of imported weights, whose data is unknown.
inline constexpr const char* imported_data = "imported";

struct Identity {
  // Metadata: each option that decides what weights mean, the seed, digests of tokenizers and data.
  Metadata facts;
  // Older checkpoints have a digest of all model options and the seed instead.
  std::string former_digest;
};

// The config must be resolved. An empty fingerprint matches any data.
Identity identity_of(const Config& config, const Tokenizers& tokenizers,
                     const std::string& data_fingerprint = {});

// Throws IoError that names the file and the differences. Missing options have their defaults.
void expect_identity(const TensorFile& file, const Identity& identity);

Metadata weights_metadata(const Identity& identity, Index step);

// The entries with the same text in two vocabularies.
struct VocabularyMatch {
  std::vector<Index> from;  // the id in the other vocabulary for each entry; -1: none
  Index matched = 0;        // without the marks
  Index entries = 0;        // without the marks
};

// Marks match marks. If several entries have the same text, the first one counts.
VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours);

struct RefusedCheckpoint {
  std::string reason;   // names the file
  bool holds = false;   // it is intact, but may belong to another training
  bool unread = false;  // the system did not let it be read, so it may be intact
};

struct Resumable {
  std::optional<TensorFile> newest;        // the newest usable one; nullopt: start at step 0
  std::vector<RefusedCheckpoint> refused;  // newer unusable ones, newest first
};

// Files `<prefix>_00001000.safetensors` in a directory, one per step. `kept` decides which regular
// files stay: files at multiples of `every` steps or of the interval in their metadata. A
// checkpoint written on interruption is deleted at the next save. The next save also deletes the
// last file of a finished training, unless its step is such a multiple or `kept` is "all".
class Checkpoints {
 public:
  Checkpoints(fs::path directory, std::string prefix, KeptCheckpoints kept = {}, Index every = 1);

  fs::path file(Index step) const;

  // The steps of the existing files, valid or not, newest first.
  std::vector<Index> steps() const;
  std::vector<fs::path> candidates() const;

  // Metadata by which a later save, even with another interval, recognises a regular file (one not
  // written because of a stop). A regular file stays regular if its step is saved again.
  Metadata mark(Index step, bool regular) const;

  // Writes the file of a step. Afterwards removes files of later steps, which are from before a
  // resume, and files that do not stay. If it throws IoError, all other files are unchanged.
  // `bytes_of`: see write_tensor_file().
  void save(Index step, std::span<const TensorEntry> entries, const Metadata& metadata,
            const EntryBytes& bytes_of = &TensorEntry::bytes) const;

  // After an interrupted save: removes files before the newest up to `step` that do not stay.
  void remove_surplus(Index step) const;

  // Reads files, newest first, until one is usable. `check` rejects a file by throwing IoError.
  Resumable find_resumable(const std::function<void(const TensorFile&)>& check = {}) const;

 private:
  bool stays(Index step, Index newer) const;

  fs::path directory_;
  std::string prefix_;
  KeptCheckpoints kept_;
  Index every_;
};

// The file of a checkpoint with a name as for `SavedRun`. It may not exist.
fs::path find_checkpoint(const RunFiles& files, const std::string& wanted);

// The seconds of training so far. Reading warns about an unreadable file and returns 0.
void write_elapsed_seconds(const fs::path& directory, double seconds);
double read_elapsed_seconds(const fs::path& directory);

// The seconds of training until `step`, for a resume: the stored seconds or, if more, those in
// times.jsonl, because a killed process may not have stored them.
double seconds_until(const RunFiles& run, Index step);

}  // namespace tapehead
