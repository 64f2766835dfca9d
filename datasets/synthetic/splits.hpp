// What the synthetic tasks share: examples drawn from the seed, in splits that have no source in
// common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "datasets/dice.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// How long a sequence may be, in whatever the task measures it.
struct Lengths {
  Index minimum;
  Index maximum;

  Index draw(Dice& dice) const { return dice.between(minimum, maximum); }
};

using DrawExample = std::function<Example(Dice&, const Lengths&)>;
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

// The splits that the options ask for.
SyntheticSplits splits_of(const SyntheticOptions& options);

// A source of symbols 0 ... vocabulary - 1, each as likely as the others and as many as a length
// drawn first, and the target that follows from it.
DrawExample draw_symbols(Index vocabulary,
                         const std::function<std::vector<TokenId>(std::vector<TokenId>)>& answer);

// A task whose sources are such sequences of symbols.
SyntheticTask symbol_task(const SyntheticOptions& options, const DrawExample& draw,
                          const FindRelations& relations);

}  // namespace tapehead
