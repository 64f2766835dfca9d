// The tokens of the one or two texts that a class belongs to.
#pragma once

#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct ClassifiedText {
  std::vector<TokenId> tokens;  // with an end mark between two texts
  bool cut = false;
};

// `line`: the text, or two with a tab between them. Tokens beyond `max_length`, which does not
// count the mark, are cut at the end of the longer text, one by one (Devlin et al. 2019, as their
// code does).
ClassifiedText classified_text(const Tokenizer& tokenizer, const std::string& line, Index texts,
                               Index max_length);

}  // namespace tapehead
