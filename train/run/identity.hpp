// The identity of a checkpoint: what its numbers mean, and what they were trained on.
#pragma once

#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"

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

}  // namespace tapehead
