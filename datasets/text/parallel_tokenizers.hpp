// The tokenizers of parallel text: made from its training pairs, and held to write these back.
#pragma once

#include "core/errors.hpp"
#include "datasets/text/aligned_text.hpp"
#include "datasets/text/options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Pairs that are dropped for their length in any case, or for an empty side, are not among what the
// tokenizers are made from. What they cannot write of the others is counted and logged, with its
// first place. Throws DataError, with file and remedy, where a tokenizer cannot be made; where no
// pair is left; and where one of pieces with `character_coverage` 1 loses a character.
Tokenizers make_parallel_tokenizers(const AlignedText& train, const ParallelTextOptions& options);

// What is to be thrown where none of the pairs can be trained on.
DataError no_training_pairs(const ParallelTextOptions& options, Index pairs);

}  // namespace tapehead
