// What `tapehead prune` says about the smaller run, as text or as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

template <class Value>
struct BeforeAndAfter {
  Value before;
  Value after;
};

struct Pruned {
  std::filesystem::path run;         // the smaller one
  std::size_t heads;                 // of the larger one
  std::vector<std::string> removed;  // such as "decoder.layers.0.cross.3"
  std::string remark;                // about heads that cannot be removed; may be empty
  std::string split;
  BeforeAndAfter<Index> parameters;
  BeforeAndAfter<double> loss;  // on the split
};

// With the command that continues its training.
std::string pruned_text(const Pruned& pruned);

std::string pruned_json(const Pruned& pruned);

}  // namespace tapehead
