// What the weights of a model mean: the options that decide it, which are part of a checkpoint's
// identity.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/options/options.hpp"

namespace tapehead {

// The options of a resolved config's model by their full names, with their values as the dump has
// them, but for those under whose every value weights mean the same (Field::keeps_meaning).
std::map<std::string, std::string> meaning_of(const Config& config);

// Where weights of `theirs` mean something else in `ours`: "model.activation: relu, not gelu", in
// the order of the names.
std::vector<std::string> meaning_differences(const Config& theirs, const Config& ours);

// The first three of them, and how many more there are: one option may decide many others.
std::string some_of(const std::vector<std::string>& differences);

}  // namespace tapehead
