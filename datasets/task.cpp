// What all tasks have in common.
#include "datasets/task.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "datasets/hash.hpp"
#include "datasets/task_kind.hpp"

namespace tapehead {

namespace {

std::string fingerprint_of(const std::vector<Split>& splits, const TaskOptions& options) {
  Hash hash;
  options.kind().add_draws(options, hash);
  for (const Split& split : splits) {
    hash.add(split.name).add(split.examples.size());
    for (const Example& example : split.examples) {
      hash.add(example.source).add(example.target);
    }
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

void say_unknown(const Split& split) {
  for (const auto& [side, unknown] :
       {std::pair{"source", &split.unknown_source}, std::pair{"target", &split.unknown_target}}) {
    if (unknown->any()) {
      spdlog::info("{} split, {} side: {}", split.name, side, describe(*unknown));
    }
  }
}

const Split& Task::split(std::string_view name) const {
  const auto found =
      std::ranges::find_if(splits, [&](const Split& split) { return split.name == name; });
  if (found != splits.end()) {
    return *found;
  }
  std::string names;
  for (const Split& split : splits) {
    names += (names.empty() ? "" : ", ") + split.name;
  }
  throw DataError(fmt::format("no split named {}; this task has {}", name, names));
}

std::shared_ptr<const Split> Task::training_split(Index epoch) const {
  return draw_training_split ? draw_training_split(epoch)
                             : std::shared_ptr<const Split>(std::shared_ptr<void>(),
                                                            &split("train"));  // owns nothing
}

Task make_task(const TaskOptions& options, std::uint64_t seed,
               const std::filesystem::path& tokenizers) {
  const TaskKind& kind = options.kind();
  for (const TaskRule& rule : kind.rules) {
    if (const auto violation = rule.check(options)) {
      throw ConfigError(fmt::format("{}: {}", violation->options.front(), violation->problem));
    }
  }
  Task task = kind.make(options, seed, tokenizers);
  task.fingerprint = fingerprint_of(task.splits, options);
  return task;
}

}  // namespace tapehead
