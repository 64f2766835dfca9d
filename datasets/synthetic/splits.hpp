// What the synthetic tasks share: examples drawn from the seed, in splits that have no source in
// common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/fields.hpp"
#include "datasets/random_source.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// How long a sequence may be, in whatever the task measures it.
struct Lengths {
  Index minimum;
  Index maximum;

  Index draw(RandomSource& random) const { return random.between(minimum, maximum); }
};

using DrawExample = std::function<Example(RandomSource&, const Lengths&)>;
using FindRelations = std::function<Relations(const Example&)>;

struct SyntheticTask {
  std::shared_ptr<const Tokenizer> tokenizer;  // of both sides
  DrawExample draw;
  FindRelations relations;
  std::string sources;  // those that there are, in words, for when there are too few of them
  std::string remedy;   // options that make more
};

struct SyntheticSplits {
  Index train;
  Index validation;
  Index test;
  Lengths lengths;
  Index longer = 0;  // examples of a further split, with lengths that no other split has
  Lengths longer_lengths{0, 0};
};

// Fills all of the task but its fingerprint. Train, validation and test have the examples that the
// hash of their source assigns to them. Throws DataError when there are too few sources for that.
Task make_splits(const SyntheticTask& kind, const SyntheticSplits& splits, std::uint64_t seed,
                 const std::filesystem::path& tokenizers);

// The rows of the splits' sizes, for a struct of options that has them.
template <class Visitor, class Options>
void visit_sizes(Visitor&& visit, Options& sizes) {
  visit(
      Field{
          .name = "train_examples", .help = "sequences to train on", .minimum = 1, .maximum = 1e8},
      sizes.train_examples);
  visit(Field{.name = "validation_examples",
              .help = "held-out sequences that choose the best checkpoint",
              .minimum = 1,
              .maximum = 1e7},
        sizes.validation_examples);
  visit(Field{.name = "test_examples",
              .help = "held-out sequences for the final test",
              .minimum = 1,
              .maximum = 1e7},
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
SyntheticSplits splits_of(const SplitSizes& sizes, const Lengths& lengths);

}  // namespace tapehead
