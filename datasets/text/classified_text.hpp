// The one or two texts that a class belongs to, as a model of each layout reads them.
#pragma once

#include "datasets/layout.hpp"
#include "datasets/sequence.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct ClassifiedText {
  std::vector<TokenId> tokens;  // with an end mark between two texts
  Index first_text = 0;         // the tokens of the first
  bool cut = false;
  TokenId label = -1;  // its class; -1: nobody knows
};

// `line`: the text, or two with a tab between them. Tokens beyond `max_length`, which does not
// count the mark, are cut at the end of the longer text, one by one, as in BERT's code.
ClassifiedText classified_text(const Tokenizer& tokenizer, const std::string& line, Index texts,
                               Index max_length);

// Where the text alone is read, it is between a begin mark, whose row has the class, and an end
// mark, and a second text has another type (Devlin et al. 2019, section 3). Else the class follows
// the text and a begin mark.
std::shared_ptr<const Source> class_source(std::vector<ClassifiedText> texts, const Layout& layout);

}  // namespace tapehead
