// What was chosen for a run: written.yaml, beside its config.yaml, which has every option resolved.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

struct WrittenOption {
  std::string option;  // "model.d_model"
  std::string value;   // as dump_config writes it, but before `auto` is resolved
  std::string origin;  // "configs/copy.yaml:7:12" or "--set"
};

// The options of a config file, its bases and `--set`, merged, in the order of the rows. A preset
// is an option like any other: its values are not among them.
using Written = std::vector<WrittenOption>;

// A config with these options alone, and with the origin of each in a comment behind it. It depends
// on nothing else.
std::string written_text(const Written& written);

// The origins in such a text, by line. A line that has lost its comment has none.
std::map<Index, std::string> origins_in(std::string_view text);

}  // namespace tapehead
