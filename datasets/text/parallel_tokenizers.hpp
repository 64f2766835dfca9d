// Makes the tokenizers of parallel text, and checks that they can write the training pairs.
#pragma once

#include "datasets/text/parallel_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Loads the tokenizers of the run `tokenizer_of`, if it is set. Then throws IoError if it is not a
// run, and DataError if it contradicts `joint_vocabulary`. Otherwise makes tokenizers from the
// training pairs, without pairs that will be dropped for their length or an empty side. Logs
// characters that subwords lose if `character_coverage` is below 1, with their first places. Throws
// DataError with file and remedy if a tokenizer cannot be made, if no pair is left, or if subwords
// lose a character and `character_coverage` is 1.
Tokenizers make_parallel_tokenizers(const AlignedText& train, const ParallelTextOptions& options);

// The error to throw if no pair can be trained on.
DataError no_training_pairs(const ParallelTextOptions& options, Index pairs);

}  // namespace tapehead
