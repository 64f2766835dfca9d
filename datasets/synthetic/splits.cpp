#include "datasets/synthetic/splits.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/files/hash.hpp"
#include "datasets/task_making.hpp"

namespace tapehead {

namespace {

constexpr int draw_bits_each = 20;  // 2^20 draws, more than the longest example needs

class Maker {
 public:
  Maker(const SyntheticTask& kind, std::uint64_t seed, const Tokenizer& tokenizer)
      : kind_(kind), seed_(seed), tokenizer_(tokenizer) {}

  // A split with those sources that their hash assigns to it.
  Split held_apart(std::string_view name, Index count, const Lengths& lengths) const {
    return draw(name, count, lengths, [&](const std::vector<TokenId>& source) {
      return split_of(Hash().add(seed_).add(source).value()) == name;
    });
  }

  // The split of longer sequences, which no other split can contain.
  Split longer(Index count, const Lengths& lengths) const {
    return draw("longer", count, lengths, [](const std::vector<TokenId>&) { return true; });
  }

 private:
  template <class Accept>
  Split draw(std::string_view name, Index count, const Lengths& lengths,
             const Accept& accept) const {
    const Draws draws(seed_, fmt::format("task/{}", name), 0);
    Split split;
    split.name = name;
    const std::string complaint =
        fmt::format("there are too few {} for a separate {} split; raise {}", kind_.sources, name,
                    kind_.remedy);
    collect(count, complaint, [&](Index attempt) {
      RandomSource random(draws, attempt, draw_bits_each);
      Example example = kind_.draw(random, lengths);
      if (!accept(example.source)) {
        return false;
      }
      split.examples.push_back(std::move(example));
      return true;
    });
    if (name != "train") {
      write_texts(split);
    }
    return split;
  }

  void write_texts(Split& split) const {
    for (const Example& example : split.examples) {
      split.source_texts.push_back(tokenizer_.decode(example.source));
      split.references.push_back(tokenizer_.decode(example.target));
    }
  }

  const SyntheticTask& kind_;
  std::uint64_t seed_;
  const Tokenizer& tokenizer_;
};

}  // namespace

Task make_splits(const SyntheticTask& kind, const SyntheticSplits& splits, std::uint64_t seed,
                 const std::filesystem::path& tokenizers) {
  const Tokenizers kept = kept_joint_tokenizer(tokenizers, kind.tokenizer);
  const Maker maker(kind, seed, *kept.target);
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  task.splits.push_back(maker.held_apart("train", splits.train, splits.lengths));
  task.splits.push_back(maker.held_apart("validation", splits.validation, splits.lengths));
  task.splits.push_back(maker.held_apart("test", splits.test, splits.lengths));
  if (splits.longer > 0) {
    task.splits.push_back(maker.longer(splits.longer, splits.longer_lengths));
  }
  task.find_relations = [find = kind.relations](const Split& split, Index example) {
    return find(split.examples[static_cast<std::size_t>(example)]);
  };
  return task;
}

SyntheticSplits splits_of(const SplitSizes& sizes, const Lengths& lengths) {
  return {.train = sizes.train_examples,
          .validation = sizes.validation_examples,
          .test = sizes.test_examples,
          .lengths = lengths};
}

}  // namespace tapehead
