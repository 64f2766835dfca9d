// Makes the tokenizers of parallel text from its training pairs, which they must be able to write.
#pragma once

#include "datasets/text/parallel_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Those of the run `tokenizer_of`, if one is named: IoError if it is no run, DataError if
// `joint_vocabulary` is not as there. Otherwise they are made of the training pairs. Pairs that
// will be dropped anyway, for their length or an empty side, are not used to make the tokenizers.
// Text of the other pairs that a tokenizer cannot write is counted and logged, with the place where
// it first occurs. Throws DataError, with file and remedy, if a tokenizer cannot be made; if no
// pair is left; or if a subword tokenizer with `character_coverage` 1 loses a character.
Tokenizers make_parallel_tokenizers(const AlignedText& train, const ParallelTextOptions& options);

// The error to throw if no pair can be trained on.
DataError no_training_pairs(const ParallelTextOptions& options, Index pairs);

}  // namespace tapehead
