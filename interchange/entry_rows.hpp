// Which rows of another model's embedding and output layer belong to the entries of our vocabulary.
#pragma once

#include <optional>
#include <vector>

#include "interchange/architecture.hpp"
#include "interchange/pretrained_files.hpp"
#include "interchange/tokenizers/pretrained_entries.hpp"

namespace tapehead {

// Of one vocabulary.
struct EntryRows {
  std::vector<std::optional<Index>> theirs;  // of each of our rows, with the mask's at the end
  // Of each row of the output layer: whether it is predicted. A mark that their model does not have
  // is not; nor is a begin mark that is its end mark too, or a piece that is unknown to it.
  std::vector<bool> predicted;
};

EntryRows entry_rows(const PretrainedTokenizer& tokenizer, bool masked);

// Every entry has the row of its own number.
EntryRows same_rows(Index entries);

struct VocabularyRows {
  EntryRows source;
  EntryRows target;

  const EntryRows& of(Entries entries) const {
    return entries == Entries::target ? target : source;
  }
};

// Reads generation_config.json, or config.json if there is none: entries that it suppresses are not
// predicted. Warns if theirs has more end marks than `end`, its id there, or -1, and of settings
// that have no counterpart here. Throws IoError and ConfigError.
void apply_generation_settings(const PretrainedFiles& files, Index end, EntryRows& rows);

}  // namespace tapehead
