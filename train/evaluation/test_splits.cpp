#include "train/evaluation/test_splits.hpp"

namespace tapehead {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<Split> test_splits(const Task& task) {
  std::vector<Split> splits;
  Split whole;
  whole.name = "whole";
  for (const Split& split : task.splits) {
    if (split.name != "train" && split.name != "validation") {
      splits.push_back(split);
      append(whole.examples, split.examples);
      append(whole.source_texts, split.source_texts);
      append(whole.references, split.references);
      append(whole.types, split.types);
    }
  }
  if (whole.types.size() != whole.examples.size()) {
    whole.types.clear();  // some of the splits have none
  }
  if (splits.size() > 1) {
    splits.push_back(std::move(whole));
  }
  return splits;
}

std::vector<Split> splits_named(const Task& task, const std::string& name) {
  std::vector<Split> tests = test_splits(task);
  if (name == "test" && !tests.empty()) {
    return tests;
  }
  if (name == "whole" && tests.size() > 1) {
    return {tests.back()};
  }
  return {task.split(name)};
}

std::vector<Split> final_splits(const Task& task) {
  std::vector<Split> splits = test_splits(task);
  if (splits.empty()) {
    splits.push_back(task.split("validation"));
  }
  return splits;
}

}  // namespace tapehead
