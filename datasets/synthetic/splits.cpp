#include "datasets/synthetic/splits.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/files/hash.hpp"

namespace tapehead {

namespace {

constexpr int draw_bits_each = 20;  // 2^20 draws, more than the longest example needs

class Maker {
 public:
  Maker(const SyntheticTask& kind, const TaskMaking& making, const Tokenizer& tokenizer)
      : kind_(kind), making_(making), tokenizer_(tokenizer) {}

  // A split with those sources that their hash assigns to it.
  Split held_apart(std::string_view name, Index count, const Lengths& lengths) const {
    return draw({std::string(name), count, lengths, kind_.draw},
                [&](const std::vector<TokenId>& source) {
                  return split_of(Hash().add(making_.seed).add(source).value()) == name;
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
    const Draws draws(making_.seed, fmt::format("task/{}", wanted.name), 0);
    Examples pairs;
    const std::string complaint =
        fmt::format("there are too few {} for a separate {} split; raise {}", kind_.sources,
                    wanted.name, kind_.remedy);
    collect(wanted.examples, complaint, [&](Index attempt) {
      RandomSource random(draws, attempt, draw_bits_each);
      Example example = wanted.draw(random, wanted.lengths);
      if (!accept(example.source)) {
        return false;
      }
      if (kind_.leave_out) {
        kind_.leave_out(example);
      }
      pairs.push_back(std::move(example));
      return true;
    });
    return synthetic_split(wanted.name, std::move(pairs), kind_.relations, making_, tokenizer_);
  }

  const SyntheticTask& kind_;
  const TaskMaking& making_;
  const Tokenizer& tokenizer_;
};

}  // namespace

Split synthetic_split(std::string_view name, Examples drawn, const RelationsOf& relations,
                      const TaskMaking& making, const Tokenizer& tokenizer) {
  Split split{.name = std::string(name)};
  const auto pairs = std::make_shared<const Examples>(std::move(drawn));
  if (name != "train") {
    for (const auto& [source, target] : *pairs) {
      split.source_texts.push_back(tokenizer.decode(source));
      split.references.push_back(tokenizer.decode(target));
    }
  }
  FindRelations find;
  if (relations) {
    find = [pairs, relations](Index number) {
      return relations((*pairs)[static_cast<std::size_t>(number)]);
    };
  }
  split.source = pair_source(pairs, making.layout, std::move(find), name);
  return split;
}

Task make_splits(const SyntheticTask& kind, const SyntheticSplits& splits,
                 const TaskMaking& making) {
  const Tokenizers kept = kept_joint_tokenizer(making.tokenizers, kind.tokenizer);
  const Maker maker(kind, making, *kept.target);
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  task.splits.push_back(maker.held_apart("train", splits.train, splits.lengths));
  task.splits.push_back(maker.held_apart("validation", splits.validation, splits.lengths));
  task.splits.push_back(maker.held_apart("test", splits.test, splits.lengths));
  for (const SplitRequest& further : splits.further) {
    task.splits.push_back(maker.further(further));
  }
  return task;
}

SyntheticSplits splits_of(const SplitSizes& sizes, const Lengths& lengths) {
  return {.train = sizes.train_examples,
          .validation = sizes.validation_examples,
          .test = sizes.test_examples,
          .lengths = lengths};
}

}  // namespace tapehead
