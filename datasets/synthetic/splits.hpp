// The common part of the synthetic tasks: examples that are drawn from the seed, in splits that
// have no source in common.
#pragma once

#include "core/fields.hpp"
#include "core/random/draws.hpp"
#include "datasets/make_task.hpp"
#include "datasets/pairs.hpp"

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
    std::vector<Index> numbers(static_cast<std::size_t>(bound));
    std::iota(numbers.begin(), numbers.end(), Index{0});
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

struct SyntheticTask {
  std::shared_ptr<const Tokenizer> tokenizer;  // for both sides
  DrawExample draw;
  RelationsOf relations;  // null: the task knows none
  std::string sources;    // name of the sources in the error that there are too few
  std::string remedy;     // options that increase the number of sources
  // Removes what the model must not see, after the source has decided the example's split.
  std::function<void(Example&)> leave_out{};
};

// A split that is to be made.
struct SplitRequest {
  std::string name;
  Index examples;
  Lengths lengths;
  DrawExample draw{};  // empty: the `draw` of the task
};

// A split of drawn pairs. All splits except "train" have texts.
Split synthetic_split(std::string_view name, Examples pairs, const RelationsOf& relations,
                      const TaskMaking& making, const Tokenizer& tokenizer);

// Visits the fields for the sizes of the splits, in an options struct that has them.
template <class Visitor, class Options>
void visit_sizes(Visitor&& visit, Options& sizes) {
  visit(Field{"train_examples", "sequences to train on", 1, 1e8}, sizes.train_examples);
  visit(Field{"validation_examples", "held-out sequences that choose the best checkpoint", 1, 1e7},
        sizes.validation_examples);
  visit(Field{"test_examples", "held-out sequences for the final test", 1, 1e7},
        sizes.test_examples);
}

struct SplitSizes {
  Index train_examples = 20000;
  Index validation_examples = 1000;
  Index test_examples = 1000;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit_sizes(visit, *this);
  }
};

struct SyntheticSplits {
  SplitSizes sizes;
  Lengths lengths;
  std::vector<SplitRequest> further{};  // test splits that may share sources with other splits
};

// Makes the task, except its fingerprint. The hash of a source decides whether its example belongs
// to train, validation or test. Throws DataError if there are too few sources.
Task make_splits(const SyntheticTask& kind, const SyntheticSplits& splits,
                 const TaskMaking& making);

}  // namespace tapehead
