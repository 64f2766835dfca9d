// A task: its tokenizers and its splits, ready for the loader.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "datasets/corpus/masking.hpp"
#include "datasets/corpus/windows.hpp"
#include "datasets/example_kind.hpp"
#include "datasets/relations.hpp"
#include "datasets/task_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/unknown_text.hpp"

namespace tapehead {

struct Example {
  std::vector<TokenId> source;  // without marks
  std::vector<TokenId> target;  // without marks
};

// What a split has if its task is to go on with a text: each example is a window of it.
struct TextWindows {
  std::shared_ptr<const TokenText> text;  // null: the task has pairs
  Windowing windowing{};
  WindowList list{};
  std::optional<Masking> masking{};  // for models that predict masked tokens
  // Rows that a model remembers of each run of windows, which then is a lane; 0: each window is
  // read by itself.
  Index memory = 0;
};

struct Split {
  std::string name;  // "train", "validation", "test", or a further test split such as "longer"
  std::vector<Example> examples;  // pairs
  bool classes = false;           // each target is one class of the source, without an end mark
  TextWindows windows;
  std::vector<std::string> source_texts;  // one per example, as a user would write it
  std::vector<std::string> references;    // the targets as text, to score outputs against
  // Reads the references where they are not kept; null if they are, or if the tokens say them in
  // full. Throws what reading the data throws, and DataError if it has changed.
  std::function<std::vector<std::string>()> read_references{};
  std::vector<std::string> types;  // one per example, if the data has types
  // If example i is line i + 1 of a file, the name of that file; a TSV file is the file of both
  // sides. Otherwise empty.
  std::string source_file;
  std::string target_file;
  std::vector<Index> lines{};  // where examples begin in these files, if it is elsewhere; from 1
  // The parts of the split's text that the tokenizers do not know; empty if the data is not from
  // files.
  UnknownText unknown_source;
  UnknownText unknown_target;
  Index dropped = 0;  // training examples left out: one side is too long, or has no token

  Index line_of(Index example) const {
    return lines.empty() ? example + 1 : lines[static_cast<std::size_t>(example)];
  }
  bool is_text() const { return windows.text != nullptr; }
  ExampleKind kind() const {
    return is_text() ? ExampleKind::text : classes ? ExampleKind::labels : ExampleKind::pairs;
  }
  // The number of its examples: pairs, or windows.
  Index size() const { return std::ssize(examples) + windows.list.size(); }
};

// Types of examples that are counted together.
struct TypeGroup {
  std::string name;
  std::vector<std::string> types;
};

// The examples of these numbers, without what else the split has.
Split part_of(const Split& split, std::span<const Index> numbers);

struct Task {
  std::shared_ptr<const Tokenizer> source_tokenizer;
  std::shared_ptr<const Tokenizer> target_tokenizer;
  std::vector<Split> splits;  // "train" first; it may have no references and source_texts
  std::vector<TypeGroup> type_groups;
  // Tokens of the source that stand for the numbers 0, 1, ... of a circle, in this order: after the
  // last comes the first again. Empty if there are none.
  std::vector<TokenId> cyclic_tokens;
  // A hexadecimal digest of the content of all splits, and of the options that decide how epochs
  // use them.
  std::string fingerprint;
  // The relations of an example, by its number in a split; null if the task has none.
  std::function<Relations(const Split&, Index example)> find_relations;

  // The training split of an epoch; null if it is the same in every epoch.
  std::function<std::shared_ptr<const Split>(Index epoch)> draw_training_split;

  // Whether the windows of a text, in training and evaluation, are only those in which a token can
  // be masked.
  bool masked = false;

  // The training split of an epoch, counted from 0. It may be used as long as the task exists, by
  // one thread at a time.
  std::shared_ptr<const Split> training_split(Index epoch) const;
  // The relations of an example; none if the task knows none.
  Relations relations(const Split& split, Index example) const {
    return find_relations ? find_relations(split, example) : Relations{};
  }
  const Split& split(std::string_view name) const;  // throws DataError that lists the names

  // Cuts the text of all splits into windows for evaluation, each this far from the one before.
  // Trainings draw windows of their own. A task of pairs stays as it is.
  void set_stride(Index stride);
  // The same, with windows of this many tokens that do not overlap.
  void set_context(Index context);
  // Prepares the windows of a text for a masked language model.
  void set_masked();
};

// Logs the parts of a split that the tokenizers do not know, if there are any.
void say_unknown(const Split& split);

}  // namespace tapehead
