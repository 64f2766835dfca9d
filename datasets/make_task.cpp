#include "datasets/make_task.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/hash.hpp"
#include "datasets/task_kind.hpp"

namespace tapehead {

namespace {

std::string fingerprint_of(const std::vector<Split>& splits, const TaskOptions& options) {
  Hash hash;
  options.kind().add_draws(options, hash);
  for (const Split& split : splits) {
    hash.add(split.name);
    split.source->add_to(hash);
    for (const auto* texts : {&split.source_texts, &split.references}) {
      hash.add(texts->size());
      for (const std::string& text : *texts) {
        hash.add(text);
      }
    }
  }
  return hash.hexadecimal();
}

}  // namespace

Task make_task(const TaskOptions& options, const TaskMaking& making) {
  const TaskKind& kind = options.kind();
  for (const TaskRule& rule : kind.rules) {
    if (const auto violation = rule.check(options)) {
      throw ConfigError(fmt::format("{}: {}", violation->options.front(), violation->problem));
    }
  }
  Task task = kind.make(options, making);
  for (Split& split : task.splits) {
    split.kind = kind.examples;
  }
  task.fingerprint = fingerprint_of(task.splits, options);
  return task;
}

}  // namespace tapehead
