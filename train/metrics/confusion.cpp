#include "train/metrics/confusion.hpp"

#include <algorithm>

namespace tapehead {

std::vector<std::string> classes_of(std::span<const ExampleScore> examples) {
  std::vector<std::string> classes;
  classes.reserve(2 * examples.size());
  for (const ExampleScore& example : examples) {
    classes.push_back(example.reference);
    classes.push_back(example.output);
  }
  std::ranges::sort(classes);
  const auto repeated = std::ranges::unique(classes);
  classes.erase(repeated.begin(), repeated.end());
  return classes;
}

std::size_t class_index(const std::vector<std::string>& classes, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::lower_bound(classes, name) - classes.begin());
}

Confusion confusion_of(std::span<const ExampleScore> examples) {
  Confusion confusion{.classes = classes_of(examples), .counts = {}};
  const std::size_t count = confusion.classes.size();
  confusion.counts.assign(count * count, 0);
  for (const ExampleScore& example : examples) {
    const std::size_t right = class_index(confusion.classes, example.reference);
    ++confusion.counts[right * count + class_index(confusion.classes, example.output)];
  }
  return confusion;
}

nlohmann::ordered_json confusion_json(const Confusion& confusion) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::size_t count = confusion.classes.size();
  for (std::size_t right = 0; right < count; ++right) {
    rows.push_back(std::span(confusion.counts).subspan(right * count, count));
  }
  return {{"classes", confusion.classes}, {"counts", std::move(rows)}};
}

}  // namespace tapehead
