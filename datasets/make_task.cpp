#include "datasets/make_task.hpp"

#include <variant>

#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

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

Tokenizers kept_tokenizers(const fs::path& directory, const std::function<Tokenizers()>& make) {
  if (directory.empty()) {
    return make();
  }
  if (has_tokenizers(directory)) {
    return load_tokenizers(directory);
  }
  Tokenizers made = make();
  save_tokenizers(made, directory);
  return made;
}

Task task_with_joint_tokenizer(const fs::path& directory,
                               const std::shared_ptr<const Tokenizer>& expected) {
  const Tokenizers kept = kept_tokenizers(
      directory, [&] { return Tokenizers{.source = expected, .target = expected}; });
  if (kept.source->size() != expected->size() || kept.target->size() != expected->size()) {
    throw IoError(
        "{} contains the tokenizer of another task: {} entries, but this task has {}; "
        "leave the options of the task as they were, or start another run from its "
        "weights: --set model.init_from={} --run DIR",
        directory.string(), kept.source->size(), expected->size(), directory.string());
  }
  return {.source_tokenizer = kept.source, .target_tokenizer = kept.target};
}

std::string_view split_of(std::uint64_t hash) {
  const std::uint64_t percent = hash % 100;
  return percent < 80 ? "train" : percent < 90 ? "validation" : "test";
}

void collect(Index count, std::string_view complaint, const std::function<bool(Index)>& attempt) {
  constexpr Index most_misses = 10000;
  Index misses = 0;
  for (Index found = 0, attempts = 0; found < count; ++attempts) {
    if (attempt(attempts)) {
      ++found;
      misses = 0;
    } else if (++misses == most_misses) {
      throw DataError(std::string(complaint));
    }
  }
}

Task make_task(const TaskOptions& options, const TaskMaking& making) {
  const TaskKind& kind = options.kind();
  TaskOptions given = options;
  TaskOptions defaults(kind);
  std::vector<OptionRow> rows;
  add_option_rows("task", rows_of(given), rows_of(defaults), rows);
  std::optional<Violation> violation = option_without_effect(rows);
  for (const TaskRule& rule : kind.rules) {
    violation = violation ? violation : rule.check(options);
  }
  if (violation) {
    throw ConfigError("{}: {}", violation->options.front(), violation->problem);
  }
  Task task = kind.make(options, making);
  for (Split& split : task.splits) {
    split.kind = kind.examples;
  }
  task.fingerprint = fingerprint_of(task.splits, options);
  return task;
}

std::vector<DataFile> data_files(TaskOptions& options) {
  std::multimap<int, DataFile> files;
  for (const Row& row : rows_of(options)) {
    const int order = row.field.file_order;
    if (order == 0) {
      continue;
    }
    const auto add = [&](const std::string& option, std::string& path) {
      if (!path.empty()) {
        files.emplace(order, DataFile{option, &path});
      }
    };
    const std::string option(row.field.name);
    if (const auto* paths = std::get_if<std::vector<std::string>*>(&row.cell)) {
      for (std::size_t i = 0; i < (*paths)->size(); ++i) {
        add(fmt::format("{}[{}]", option, i), (**paths)[i]);
      }
    } else {
      add(option, *std::get<std::string*>(row.cell));
    }
  }
  return mapped(files | std::views::values, std::identity());
}

}  // namespace tapehead
