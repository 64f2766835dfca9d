// The confusion matrix of predicted classes: how often each class was predicted for each.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

struct Confusion {
  std::vector<std::string> classes;
  std::vector<Index> counts;  // (right class, predicted class)

  Index count(std::size_t right, std::size_t predicted) const {
    return counts[right * classes.size() + predicted];
  }
};

// The classes that occur as a reference or as an output, each once, in the order of their bytes.
std::vector<std::string> classes_of(std::span<const ExampleScore> examples);

// The place of an occurring class in that list.
std::size_t class_index(const std::vector<std::string>& classes, const std::string& name);

Confusion confusion_of(std::span<const ExampleScore> examples);

// {"classes": ["ABBR", ...], "counts": [[9, 0, ...], ...]}, a row for each right class.
nlohmann::ordered_json confusion_json(const Confusion& confusion);

}  // namespace tapehead
