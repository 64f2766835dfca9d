// References: what outputs are scored against, and which outputs are exactly right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

// What the outputs of the first examples are scored against: the texts as written, or, for the
// training split, which keeps none, the tokens as text.
std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count);

// Which outputs, of the split's first examples, are exactly right: equal to the reference as it is
// written, or as the tokenizer reads it. The two differ where text holds what no token holds, such
// as a second space between words. A reference with unknown tokens counts only as it is written.
std::vector<bool> right_sequences(const Task& task, const Split& split,
                                  const std::vector<std::string>& outputs);

}  // namespace tapehead
