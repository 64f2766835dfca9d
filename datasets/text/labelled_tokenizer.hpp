// Makes the tokenizers of labelled text: one for the texts, and one that numbers the classes.
#pragma once

#include "datasets/text/labelled_options.hpp"
#include "datasets/text/labelled_splits.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Classes are in the order of their bytes. Throws DataError with the file if all examples have one
// class, or if a tokenizer cannot be made; IoError if `tokenizer_of` is no run.
Tokenizers make_labelled_tokenizers(const LabelledSplit& train, const LabelledTextOptions& options);

}  // namespace tapehead
