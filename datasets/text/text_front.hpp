// What a language model reads in front of a text.
#pragma once

#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

class TextFront {
 public:
  // `one_document`: the training text has no second one.
  TextFront(const TextOptions& options, const Tokenizer& tokenizer, bool one_document);

  // The tokens of a text to go on with. In front of them is the mark before a document, if the
  // training text has several and there is one. Without any token, a begin mark or, if the training
  // text is one document that has line ends, a line end.
  std::vector<TokenId> prompt(std::vector<TokenId> text) const;
  // The tokens of a text that is given as a whole: behind what an empty prompt is, or behind
  // nothing where documents begin without a mark.
  std::vector<TokenId> whole(const std::vector<TokenId>& text) const;

  std::string_view in_words() const;

 private:
  std::vector<TokenId> mark_;  // before a document
  std::vector<TokenId> empty_;
  bool has_marks_;
};

}  // namespace tapehead
