// The common part of the synthetic tasks: examples that are drawn from the seed, in splits that
// have no source in common.
#pragma once

#include "datasets/make_task.hpp"
#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"

namespace tapehead {

// The random draws of one example, in order, from its own range of a stream.
class RandomSource {
 public:
  // Example number `number` uses the draws from number · 2^bits on, at most 2^bits of them.
  RandomSource(const Draws& draws, Index number, int bits)
      : draws_(draws), next_(static_cast<std::uint64_t>(number) << bits) {}

  Index below(Index bound) { return draw_below(draws_, next_++, bound); }
  Index between(Index minimum, Index maximum) { return minimum + below(maximum - minimum + 1); }
  bool one_in(Index count) { return below(count) == 0; }
  template <std::ranges::borrowed_range List>  // the item must outlive the call
  const auto& one_of(List&& list) {
    return list[static_cast<std::size_t>(below(std::ssize(list)))];
  }
  // `count` different numbers below `bound`, in random order (Fisher and Yates).
  std::vector<Index> different(Index count, Index bound) {
    std::vector<Index> numbers = mapped(numbers_below(bound), std::identity());
    for (Index i = 0; i < count; ++i) {
      std::swap(numbers[static_cast<std::size_t>(i)],
                numbers[static_cast<std::size_t>(between(i, bound - 1))]);
    }
    numbers.resize(static_cast<std::size_t>(count));
    return numbers;
  }
  bool with_probability(double probability) { return draw_uniform(draws_, next_++) < probability; }

 private:
  const Draws& draws_;
  std::uint64_t next_;
};

// The range of the length of a sequence, in the unit that the task uses.
struct Lengths {
  Index minimum;
  Index maximum;

  Index draw(RandomSource& random) const { return random.between(minimum, maximum); }
};

using DrawExample = std::function<Example(RandomSource&, const Lengths&)>;
using RelationsOf = std::function<Relations(const Example&)>;

struct SplitRequest {
  std::string name;
  Index examples;
  Lengths lengths;
  DrawExample draw{};  // empty: the `draw` of the task
};

// A split of drawn pairs, with the tokenizers of the task. All splits except "train" have texts.
Split synthetic_split(std::string_view name, Examples pairs, const RelationsOf& relations,
                      const TaskMaking& making, const Task& task);

// For sources that begin with pairs of a key and its value: `key` pairs the values of the first
// `pairs` pairs with their keys.
Relation keys_of_values(Index pairs);

// `first`, and the relations of a source whose last token asks for the token after its earlier
// occurrence. The target is both tokens. `question` and `answer` each pair the row that writes a
// token with the token's row in the source; there is no answer if the last token occurs only once.
Relations with_answer(Relation first, const Example& example);

// The relations of a target that is the source shifted by one. `previous` pairs each row with the
// row before it. `answer` pairs a row whose token `repeats` with the rows after earlier occurrences
// of the token.
Relations next_token_relations(const Example& example, const std::function<bool(TokenId)>& repeats);

// The rows for the sizes of the splits, in an options struct that has them.
void fields_of_sizes(const auto& row, auto& sizes) {
  row(sizes.train_examples, named("train_examples", 1, 1e8), "sequences to train on");
  row(sizes.validation_examples, named("validation_examples", 1, 1e7),
      "held-out sequences that choose the best checkpoint");
  row(sizes.test_examples, named("test_examples", 1, 1e7), "held-out sequences for the final test");
}

struct SplitSizes {
  Index train_examples = 20000;
  Index validation_examples = 1000;
  Index test_examples = 1000;

  void fields(const auto& row) { fields_of_sizes(row, *this); }
};

extern template std::vector<Row> rows_of(SplitSizes& options);  // compiled once

struct SyntheticTask {
  std::shared_ptr<const Tokenizer> tokenizer;  // for both sides
  DrawExample draw;
  RelationsOf relations;  // null: the task knows none
  std::string sources;    // name of the sources in the error that there are too few
  std::string remedy;     // options that increase the number of sources
  SplitSizes sizes;
  Lengths lengths;
  std::vector<SplitRequest> further{};  // test splits that may share sources with other splits
  // Removes what the model must not see, after the source has decided the example's split.
  std::function<void(Example&)> leave_out{};
};

// Makes the task, except its fingerprint. The hash of a source decides whether its example belongs
// to train, validation or test. Throws DataError if there are too few sources.
Task make_splits(const SyntheticTask& kind, const TaskMaking& making);

// A kind of task whose options have these functions: longest(), shrink(shrinking), and task(sizes),
// which describes the task.
template <class Options>
constexpr TaskKind drawn_kind(std::string_view name, std::span<const TaskRule> rules = {},
                              decltype(TaskKind::splits) splits = TaskKind{}.splits) {
  return {.name = name,
          .options = options_of<Options, SplitSizes>,
          .rules = rules,
          .longest = longest_of<Options>,
          .splits = splits,
          .shrink =
              [](TaskOptions& task, const Shrinking& shrinking) {
                shrinking.splits(task.as<SplitSizes>());
                task.as<Options>().shrink(shrinking);
              },
          .make =
              [](const TaskOptions& task, const TaskMaking& making) {
                return make_splits(task.as<Options>().task(task.as<SplitSizes>()), making);
              }};
}

}  // namespace tapehead
