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
    return draw({std::string(name), count, lengths, kind_.draw},
                [&](const std::vector<TokenId>& source) {
                  return split_of(Hash().add(seed_).add(source).value()) == name;
                });
  }

  Split further(SplitRequest split) const {
    if (!split.draw) {
      split.draw = kind_.draw;
    }
    return draw(split, [](const std::vector<TokenId>&) { return true; });
  }

 private:
  template <class Accept>
  Split draw(const SplitRequest& wanted, const Accept& accept) const {
    const Draws draws(seed_, fmt::format("task/{}", wanted.name), 0);
    Split split;
    split.name = wanted.name;
    const std::string complaint =
        fmt::format("there are too few {} for a separate {} split; raise {}", kind_.sources,
                    wanted.name, kind_.remedy);
    collect(wanted.examples, complaint, [&](Index attempt) {
      RandomSource random(draws, attempt, draw_bits_each);
      Example example = wanted.draw(random, wanted.lengths);
      if (!accept(example.source)) {
        return false;
      }
      split.examples.push_back(std::move(example));
      return true;
    });
    if (split.name != "train") {
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
  for (const SplitRequest& further : splits.further) {
    task.splits.push_back(maker.further(further));
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
