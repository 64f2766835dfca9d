#include "datasets/make_task.hpp"

#include <fmt/format.h>

#include <string_view>
#include <variant>

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

void expect_met(const std::optional<Violation>& violation) {
  if (violation) {
    throw ConfigError(fmt::format("{}: {}", violation->options.front(), violation->problem));
  }
}

std::optional<Violation> unused_option(TaskOptions options) {
  TaskOptions defaults(options.kind());
  std::vector<OptionRow> rows;
  add_option_rows("task", rows_of(options), rows_of(defaults), rows);
  return option_without_effect(rows);
}

}  // namespace

Task make_task(const TaskOptions& options, const TaskMaking& making) {
  const TaskKind& kind = options.kind();
  expect_met(unused_option(options));
  for (const TaskRule& rule : kind.rules) {
    expect_met(rule.check(options));
  }
  Task task = kind.make(options, making);
  for (Split& split : task.splits) {
    split.kind = kind.examples;
  }
  task.fingerprint = fingerprint_of(task.splits, options);
  return task;
}

std::vector<DataFile> data_files(TaskOptions& options) {
  std::vector<DataFile> files;
  const auto add = [&](const std::string& option, std::string& path) {
    if (!path.empty()) {
      files.push_back({option, &path});
    }
  };
  for (const std::string_view option : options.kind().files) {
    for (const Row& row : rows_of(options)) {
      if (row.field.name != option) {
        continue;
      }
      const std::string name(option);
      if (const auto* paths = std::get_if<std::vector<std::string>*>(&row.cell)) {
        for (std::size_t i = 0; i < (*paths)->size(); ++i) {
          add(name + "[" + std::to_string(i) + "]", (**paths)[i]);
        }
      } else {
        add(name, *std::get<std::string*>(row.cell));
      }
    }
  }
  return files;
}

}  // namespace tapehead
