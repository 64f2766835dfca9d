// The config's `task` section: which task it is, and the options of that task.
#pragma once

#include "core/prelude.hpp"

#include <any>

namespace tapehead {

struct TaskKind;

// A kind of task, and a value of each options struct of this kind (datasets/task_kind.hpp).
class TaskOptions {
 public:
  TaskOptions();  // the first kind, with its defaults
  explicit TaskOptions(const TaskKind& kind);
  explicit TaskOptions(std::string_view name);  // throws ConfigError if there is no such kind

  const TaskKind& kind() const { return *kind_; }
  // Switches to the defaults of this kind, unless it is this kind already.
  void choose(const TaskKind& kind);

  // The value of this struct; null if the kind has no such options.
  template <class Options>
  const Options* find() const {
    for (const std::any& value : values_) {
      if (const auto* found = std::any_cast<Options>(&value)) {
        return found;
      }
    }
    return nullptr;
  }
  // The same if the kind is known to have them.
  template <class Options>
  const Options& as() const {
    const auto* found = find<Options>();
    return found != nullptr ? *found : throw std::logic_error("options of another kind of task");
  }
  template <class Options>
  Options& as() {
    return const_cast<Options&>(std::as_const(*this).as<Options>());
  }

  std::span<std::any> values() { return values_; }  // in the order of the structs of the kind

 private:
  const TaskKind* kind_;
  std::vector<std::any> values_;
};

}  // namespace tapehead
