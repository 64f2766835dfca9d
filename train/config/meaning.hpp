// The options of a model that decide what its weights mean. They are part of a checkpoint's
// identity.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/options/options.hpp"

namespace tapehead {

// The options of a resolved config's model by their full names, with their values as dump_config
// writes them. Options that do not change the meaning of weights (Field::keeps_meaning) are left
// out.
std::map<std::string, std::string> meaning_of(const Config& config);

// The options because of which weights of `theirs` mean something else in `ours`, such as
// "model.activation: relu, not gelu", sorted by name.
std::vector<std::string> meaning_differences(const Config& theirs, const Config& ours);

// Three of them, and the number of the others, since one option may decide many others. Those of
// the section `model`, which decide those of each attention, come first.
std::string some_of(std::vector<std::string> differences);

}  // namespace tapehead
