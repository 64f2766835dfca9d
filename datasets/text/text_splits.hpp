// Which files, and which part of them, each split of a running text has; and the tokenizer that is
// made from those of the training text.
#pragma once

#include "datasets/text/documents.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

class TextSplits {
 public:
  // The options must outlive it.
  explicit TextSplits(const TextOptions& options) : options_(options) {}

  // Throws IoError that names the option if there is no such file.
  DocumentFiles of(std::string_view split);

 private:
  TextShare share_of(std::string_view split, const DocumentFiles& all);

  const TextOptions& options_;
  std::optional<double> bytes_;  // of the training text, once it was read
};

// The tokenizer of the run `tokenizer_of` or, without one, made from the training text. A line end
// between two lines of a document counts as a character and as a word. Subwords are trained on at
// most 64 MB of its lines, evenly chosen. Throws DataError with the file; IoError if there is no
// such run.
std::shared_ptr<const Tokenizer> make_text_tokenizer(const DocumentFiles& files,
                                                     const TextOptions& options);

}  // namespace tapehead
