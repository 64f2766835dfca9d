#include "train/gradcheck/tiny_task.hpp"

#include <algorithm>

namespace tapehead {

namespace {

constexpr Index most_train_examples = 64;  // only one batch of them is looked at
constexpr Index most_examples = 4;         // of each other split, which all tasks want to have
constexpr Index most_symbols = 100;        // enough for those examples to differ at any length
constexpr Index most_tokens = 40;

class Shrinking {
 public:
  explicit Shrinking(const IsSet& is_set) : is_set_(is_set) {}

  // At most `most`, but not less than `least`.
  void at_most(std::string_view option, Index& value, Index most, Index least = 0) const {
    if (!is_set_(option)) {
      value = std::min(value, std::max(most, least));
    }
  }

  template <class Options>
  void splits(Options& task) const {
    at_most("task.train_examples", task.train_examples, most_train_examples);
    at_most("task.validation_examples", task.validation_examples, most_examples);
    at_most("task.test_examples", task.test_examples, most_examples);
  }

 private:
  const IsSet& is_set_;
};

// Fewer than two symbols make one sequence of each length, so these stay as many as they are.
void shrink_symbols(TaskOptions& task, const Shrinking& shrink) {
  SyntheticOptions& symbols = task.synthetic;
  shrink.splits(symbols);
  shrink.at_most("task.longer_examples", symbols.longer_examples, most_examples);
  shrink.at_most("task.vocabulary", symbols.vocabulary, most_symbols);
  if (symbols.vocabulary < 2) {
    return;
  }
  const Index offset = task.name == TaskName::two_offsets
                           ? std::max(task.two_offsets.first_offset, task.two_offsets.second_offset)
                           : 0;
  shrink.at_most("task.min_length", symbols.min_length, most_tokens, offset + 1);
  shrink.at_most("task.max_length", symbols.max_length, most_tokens, symbols.min_length);
}

void shrink_brackets(BracketOptions& brackets, const Shrinking& shrink) {
  shrink.splits(brackets);
  shrink.at_most("task.min_pairs", brackets.min_pairs, most_tokens / 2);
  shrink.at_most("task.max_pairs", brackets.max_pairs, most_tokens / 2, brackets.min_pairs);
}

void shrink_recall(RecallOptions& recall, const Shrinking& shrink) {
  shrink.splits(recall);
  shrink.at_most("task.facts", recall.facts, most_tokens / 4);
  shrink.at_most("task.vocabulary", recall.vocabulary, most_symbols, recall.facts);
  shrink.at_most("task.min_gap", recall.min_gap, most_tokens / 2);
  shrink.at_most("task.max_gap", recall.max_gap, most_tokens / 2, recall.min_gap);
}

void shrink_text(ParallelTextOptions& text, Index most_characters, const IsSet& is_set) {
  const bool kept = is_set("task.tokenizer") || is_set("task.normalization") ||
                    is_set("task.character_coverage") || is_set("task.subword_dropout");
  if (kept || text.tokenizer == TokenizerKind::character) {
    return;
  }
  const ParallelTextOptions defaults;
  text.tokenizer = TokenizerKind::character;
  text.normalization = defaults.normalization;
  text.character_coverage = defaults.character_coverage;
  text.subword_dropout = defaults.subword_dropout;
  Shrinking(is_set).at_most("task.vocabulary", text.vocabulary, most_symbols);
  if (!is_set("task.max_length")) {
    text.max_length = std::max(text.max_length, most_characters);
  }
}

}  // namespace

void shrink_task(TaskOptions& task, Index most_characters, const IsSet& is_set) {
  const Shrinking shrink(is_set);
  switch (task.name) {
    case TaskName::parallel_text:
      return shrink_text(task.text, most_characters, is_set);
    case TaskName::grammar_translation:
      return shrink.splits(task.grammar);
    case TaskName::brackets:
      return shrink_brackets(task.brackets, shrink);
    case TaskName::recall:
      return shrink_recall(task.recall, shrink);
    default:
      return shrink_symbols(task, shrink);
  }
}

}  // namespace tapehead
