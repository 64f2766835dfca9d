// The registry of tasks, and what all tasks have in common.
#include "datasets/task.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "datasets/hash.hpp"
#include "datasets/task_rules.hpp"
#include "datasets/tasks.hpp"

namespace tapehead {

namespace {

struct Entry {
  TaskName name;
  TaskMaker make;
};

constexpr std::array registry{
    Entry{TaskName::copy, make_reordering},
    Entry{TaskName::reverse, make_reordering},
    Entry{TaskName::sort, make_reordering},
    Entry{TaskName::previous_token, make_previous_token},
    Entry{TaskName::two_offsets, make_two_offsets},
    Entry{TaskName::induction, make_induction},
    Entry{TaskName::copy_distractors, make_copy_distractors},
    Entry{TaskName::brackets, make_brackets},
    Entry{TaskName::recall, make_recall},
    Entry{TaskName::grammar_translation, make_grammar_translation},
    Entry{TaskName::parallel_text, make_parallel_text},
};

std::string fingerprint_of(const std::vector<Split>& splits, const TaskOptions& options) {
  Hash hash;
  if (options.text.subword_dropout > 0) {  // what else decides the data of the epochs
    hash.add(std::bit_cast<std::uint64_t>(options.text.subword_dropout));
    hash.add(static_cast<std::uint64_t>(options.text.max_length));
  }
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

std::vector<std::string> split_names(const TaskOptions& options) {
  std::vector<std::string> names{"train", "validation"};
  const bool of_text = options.name == TaskName::parallel_text;
  if (!of_text || !options.text.test_source.empty() || !options.text.test_tsv.empty()) {
    names.emplace_back("test");
  }
  if (options.is_of_symbols() && options.synthetic.longer_examples > 0) {
    names.emplace_back("longer");
  }
  return names;
}

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
  for (const TaskRule& rule : task_rules()) {
    if (const auto violation = rule.check(options)) {
      throw ConfigError(fmt::format("{}: {}", violation->options.front(), violation->problem));
    }
  }
  const auto* const found = std::find_if(registry.begin(), registry.end(), [&](const Entry& entry) {
    return entry.name == options.name;
  });
  Task task = found->make(options, seed, tokenizers);
  task.fingerprint = fingerprint_of(task.splits, options);
  return task;
}

Tokenizers kept_tokenizers(const std::filesystem::path& directory,
                           const std::function<Tokenizers()>& make) {
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

Tokenizers kept_joint_tokenizer(const std::filesystem::path& directory,
                                const std::shared_ptr<const Tokenizer>& expected) {
  Tokenizers kept = kept_tokenizers(
      directory, [&] { return Tokenizers{.source = expected, .target = expected}; });
  if (kept.source->size() != expected->size() || kept.target->size() != expected->size()) {
    throw IoError(
        fmt::format("{} keeps the tokenizer of another task: {} entries, where this one has {}",
                    directory.string(), kept.source->size(), expected->size()));
  }
  return kept;
}

std::string_view split_of(std::uint64_t hash) {
  const std::uint64_t percent = hash % 100;
  if (percent < 80) {
    return "train";
  }
  return percent < 90 ? "validation" : "test";
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

}  // namespace tapehead
