// References: the texts with which outputs are compared, and which outputs are exactly right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "datasets/task.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The references of the first `count` examples: the texts as written, which are read again if the
// split does not keep them. Of a split that has only tokens, the tokens as text.
std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count);

// Which outputs of the split's first examples are exactly right: equal to the reference as written,
// or as the tokenizer reads it. These two differ if the text contains something that tokens do not
// represent, such as a second space between words. A reference with unknown tokens is compared only
// as written.
std::vector<bool> right_sequences(const Task& task, const Split& split,
                                  const std::vector<std::string>& outputs);

// Warns of references that are longer than any output can be, by evaluation.max_extra_length: how
// many there are, and which value would be enough. Nothing if the model writes no outputs.
void say_cut_references(const Split& split, const EvaluationOptions& options);

}  // namespace tapehead
