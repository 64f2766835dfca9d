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
  std::vector<std::shared_ptr<const Source>> sources;
  Split whole{.name = "whole"};
  for (const Split& split : task.splits) {
    if (split.name != "train" && split.name != "validation") {
      splits.push_back(split);
      sources.push_back(split.source);
      append(whole.source_texts, split.source_texts);
      append(whole.references, split.references);
      append(whole.types, split.types);
    }
  }
  if (splits.size() > 1) {
    whole.source = one_after_another(std::move(sources));
    whole.kind = splits.front().kind;
    if (std::ssize(whole.types) != whole.size()) {
      whole.types.clear();  // some of the splits have none
    }
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
