// The task recall: facts (pairs of a key and its value), a gap of other tokens, and the key of one
// fact again, which asks for the value of that fact.
//
//   k3 v1 k0 v8 . 5 . 2 k3   ->   k3 v1        (the dots stand for more of the gap)
//
// Like induction, the task needs two layers of attention. First, each value learns which key is
// before it. Then the row that has written the key attends, across the gap, to the value after that
// key. Every fact is asked for equally often, so its place gives no information.

#include "datasets/synthetic/splits.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct RecallOptions {
  Index vocabulary = 16;
  Index facts = 4;
  Index min_gap = 1;
  Index max_gap = 16;

  LongestSide longest() const { return {2 * facts + max_gap + 1, "task.max_gap"}; }
  SyntheticTask task(const SplitSizes& sizes) const;

  void shrink(const Shrinking& shrinking) {
    constexpr Index most = Shrinking::most_tokens;
    shrinking.at_most("task.facts", facts, most / 4);
    shrinking.at_most("task.vocabulary", vocabulary, Shrinking::most_symbols, facts);
    shrinking.at_most("task.min_gap", min_gap, most / 2);
    shrinking.at_most("task.max_gap", max_gap, most / 2, min_gap);
  }

  void fields(const auto& row) {
    row(vocabulary, named("vocabulary", 1, 10000),
        "number of keys, of values, and of tokens for the gap");
    row(facts, named("facts", 1, 10000), "keys with their values, before the gap");
    row(min_gap, named("min_gap", 0, 100000, "tokens"),
        "fewest tokens between the last fact and the question");
    row(max_gap, named("max_gap", 0, 100000, "tokens"),
        "most tokens between the last fact and the question");
  }
};

// Entries are `vocabulary` keys, as many values, and as many tokens for the gap.
Example draw(const RecallOptions& options, RandomSource& random, const Lengths& gaps) {
  const Index vocabulary = options.vocabulary;
  Example example;
  for (const Index key : random.different(options.facts, vocabulary)) {
    example.source.push_back(entry_id(key));
    example.source.push_back(entry_id(vocabulary + random.below(vocabulary)));
  }
  const auto asked = static_cast<std::size_t>(2 * random.below(options.facts));
  for (Index gap = gaps.draw(random); gap > 0; --gap) {
    example.source.push_back(entry_id(2 * vocabulary + random.below(vocabulary)));
  }
  example.target = {example.source[asked], example.source[asked + 1]};
  example.source.push_back(example.source[asked]);
  return example;
}

constexpr std::array rules{TaskRule{
    "`task.min_gap` is at most `task.max_gap`, and `task.facts` at most the `task.vocabulary` of "
    "`recall`.",
    [](const TaskOptions& options) {
      const auto& task = options.as<RecallOptions>();
      return first_violation(
          {violation_if(task.min_gap > task.max_gap, {"task.min_gap", "task.max_gap"},
                        "more than task.max_gap ({}, {})", task.min_gap, task.max_gap),
           violation_if(task.facts > task.vocabulary, {"task.facts", "task.vocabulary"},
                        "more facts than there are keys ({}, task.vocabulary {})", task.facts,
                        task.vocabulary)});
    }}};

SyntheticTask RecallOptions::task(const SplitSizes& sizes) const {
  return {.tokenizer =
              numbered_tokenizer({{"k{}", vocabulary}, {"v{}", vocabulary}, {"{}", vocabulary}}),
          .draw = std::bind_front(draw, *this),
          .relations = std::bind_front(with_answer, keys_of_values(facts)),
          .sources =
              fmt::format("sequences of {} facts out of {} keys and values with gaps of {} to {}",
                          facts, vocabulary, min_gap, max_gap),
          .remedy = "task.vocabulary or task.max_gap",
          .sizes = sizes,
          .lengths = {min_gap, max_gap}};
}

}  // namespace

extern constinit const TaskKind recall_task = drawn_kind<RecallOptions>("recall", rules);

}  // namespace tapehead
