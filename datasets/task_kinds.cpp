// The registry of tasks.

#include "core/text.hpp"
#include "datasets/task_kind.hpp"

namespace tapehead {

extern const TaskKind copy_task, reverse_task, sort_task, previous_token_task, two_offsets_task,
    induction_task, copy_distractors_task, brackets_task, recall_task, few_shot_task, bigrams_task,
    repeated_task, modular_arithmetic_task, grammar_translation_task, story_questions_task,
    story_summaries_task, parallel_text_task, text_task, labelled_text_task, tagged_text_task;

namespace {

constexpr auto pointers_to = [](const auto&... kinds) { return std::array{&kinds...}; };

// In the order in which messages and the reference name them; the first is the default.
constexpr auto registry = pointers_to(
    copy_task, reverse_task, sort_task, previous_token_task, two_offsets_task, induction_task,
    copy_distractors_task, brackets_task, recall_task, few_shot_task, bigrams_task, repeated_task,
    modular_arithmetic_task, grammar_translation_task, story_questions_task, story_summaries_task,
    parallel_text_task, text_task, labelled_text_task, tagged_text_task);

std::span<const std::string_view> names() {
  static const auto all = mapped(registry, &TaskKind::name);
  return all;
}

}  // namespace

std::span<const TaskKind* const> task_kinds() { return registry; }

const TaskKind& task_kind(std::string_view name) {
  const auto* const found = std::ranges::find(registry, name, &TaskKind::name);
  if (found == registry.end()) {
    throw ConfigError("no task {}; there are {}", name, join(names(), ", "));
  }
  return **found;
}

TaskOptions::TaskOptions() : TaskOptions(*registry.front()) {}

TaskOptions::TaskOptions(const TaskKind& kind)
    : kind_(&kind),
      values_(mapped(kind.options, [](const OptionsType& type) { return type.defaults(); })) {}

TaskOptions::TaskOptions(std::string_view name) : TaskOptions(task_kind(name)) {}

void TaskOptions::choose(const TaskKind& kind) {
  if (&kind != kind_) {
    *this = TaskOptions(kind);
  }
}

std::vector<Row> rows_of(TaskOptions& options) {
  const auto get = [&options] {
    const auto* const kind = std::ranges::find(registry, &options.kind());
    return static_cast<std::size_t>(kind - registry.begin());
  };
  const auto set = [&options](std::size_t chosen) { options.choose(*registry[chosen]); };
  std::vector<Row> rows{
      {Field{"name", "which task to learn"}, Choice{.names = names(), .get = get, .set = set}}};
  for (std::size_t i = 0; i < options.values().size(); ++i) {
    std::ranges::move(options.kind().options[i].rows(options.values()[i]),
                      std::back_inserter(rows));
  }
  return rows;
}

}  // namespace tapehead
