#include "datasets/synthetic/splits.hpp"

#include "core/random/draws.hpp"

namespace tapehead {

namespace {

constexpr int draw_bits_each = 20;  // 2^20 draws, more than the longest example needs

// `held_apart`: whether only sources are used whose hash assigns them to this split.
Split draw_split(const SyntheticTask& kind, const SplitRequest& wanted, bool held_apart,
                 const TaskMaking& making, const Tokenizer& tokenizer) {
  const Draws draws(making.seed, fmt::format("task/{}", wanted.name), 0);
  Examples pairs;
  const std::string complaint =
      fmt::format("there are too few {} for a separate {} split; raise {}", kind.sources,
                  wanted.name, kind.remedy);
  collect(wanted.examples, complaint, [&](Index attempt) {
    RandomSource random(draws, attempt, draw_bits_each);
    Example example = (wanted.draw ? wanted.draw : kind.draw)(random, wanted.lengths);
    if (held_apart &&
        split_of(Hash().add(making.seed).add(example.source).value()) != wanted.name) {
      return false;
    }
    if (kind.leave_out) {
      kind.leave_out(example);
    }
    pairs.push_back(std::move(example));
    return true;
  });
  return synthetic_split(wanted.name, std::move(pairs), kind.relations, making, tokenizer);
}

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
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  const auto add = [&](const SplitRequest& wanted, bool held_apart) {
    task.splits.push_back(draw_split(kind, wanted, held_apart, making, *kept.target));
  };
  add({"train", splits.sizes.train_examples, splits.lengths}, true);
  add({"validation", splits.sizes.validation_examples, splits.lengths}, true);
  add({"test", splits.sizes.test_examples, splits.lengths}, true);
  for (const SplitRequest& further : splits.further) {
    add(further, false);
  }
  return task;
}

}  // namespace tapehead
