// A task: its options, which are the config's `task` section, and the data made from them:
// tokenizers and splits.
#pragma once

#include <any>

#include "datasets/layout.hpp"
#include "datasets/window_source.hpp"

namespace tapehead {

struct TaskKind;

// A kind of task, with a value for each of its options structs (datasets/task_kind.hpp).
class TaskOptions {
 public:
  TaskOptions();  // the first kind, with its defaults
  explicit TaskOptions(const TaskKind& kind);
  explicit TaskOptions(std::string_view name);  // throws ConfigError if there is no such kind

  const TaskKind& kind() const { return *kind_; }
  // Switches to this kind with its defaults, unless it already is the current kind.
  void choose(const TaskKind& kind);

  // The value of the struct `Options`; null if the kind does not have this struct.
  template <class Options>
  const Options* find() const {
    for (const std::any& value : values_) {
      if (const auto* found = std::any_cast<Options>(&value)) {
        return found;
      }
    }
    return nullptr;
  }
  // The value of the struct `Options`. Throws logic_error if the kind does not have this struct.
  template <class Options>
  const Options& as() const {
    const auto* found = find<Options>();
    return found != nullptr ? *found : throw std::logic_error("options of another kind of task");
  }
  template <class Options>
  Options& as() {
    return const_cast<Options&>(std::as_const(*this).as<Options>());
  }

  std::span<std::any> values() { return values_; }  // in the order of the kind's structs

 private:
  const TaskKind* kind_;
  std::vector<std::any> values_;
};

struct Split {
  std::string name;  // "train", "validation", "test", or a further test split such as "longer"
  std::shared_ptr<const Source> source{};
  ExampleKind kind = ExampleKind::pairs;  // decides which metrics apply

  // The text that the windows are cut from, if the examples are windows.
  RunningText text{};
  std::vector<std::string> source_texts{};  // one per example, as a user would write it
  std::vector<std::string> references{};    // the targets as text, to score outputs against
  // Reads references that are not kept; null if they are kept, or if the tokens give the full text.
  // Throws what reading the data throws, and DataError if the data has changed.
  std::function<std::vector<std::string>()> read_references{};
  std::vector<std::string> types{};  // one per example, if the data has types
  // The files of the examples and their lines there, from 1; a TSV is the file of both sides. Empty
  // if the examples are not lines of files.
  std::string source_file{};
  std::string target_file{};
  std::vector<Index> lines{};
  // Text of the split that the tokenizers do not know; empty if the data is not from files.
  UnknownText unknown_source{};
  UnknownText unknown_target{};
  Index dropped = 0;  // training examples left out: one side is too long, or has no token

  Index size() const { return source->size(); }
  // How many of its examples have an output that can be compared with a reference.
  Index outputs() const { return measurable(kind).text ? 0 : size(); }
};

// Types of examples that are counted together.
struct TypeGroup {
  std::string name;
  std::vector<std::string> types;
};

// The first `count` examples, or all. Keeps only name, source, kind and text of the split.
Split first_examples(const Split& split, Index count);

struct Task {
  std::shared_ptr<const Tokenizer> source_tokenizer;
  std::shared_ptr<const Tokenizer> target_tokenizer;
  std::vector<Split> splits{};  // "train" first, which may lack references and source_texts
  std::vector<TypeGroup> type_groups{};
  // Tokens of the source that stand for the numbers 0, 1, ..., n - 1 modulo n, in this order. Empty
  // if the task has no such numbers.
  std::vector<TokenId> cyclic_tokens{};
  // A hexadecimal digest of all splits, and of the options that decide how epochs use them.
  std::string fingerprint{};

  // The training examples of an epoch; null if they are the same in every epoch.
  std::function<std::shared_ptr<const Source>(Index epoch)> draw_training{};

  // The training examples of an epoch, counted from 0. Call it from one thread at a time.
  std::shared_ptr<const Source> training(Index epoch) const;
  const Split& split(std::string_view name) const;  // throws DataError that lists the names
};

// Logs the parts of a split that the tokenizers do not know, if there are any.
void say_unknown(const Split& split);

}  // namespace tapehead
