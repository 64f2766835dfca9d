#include "datasets/synthetic/splits.hpp"

namespace tapehead {

namespace {

constexpr int draw_bits_each = 20;  // 2^20 draws, more than the longest example needs

// `held_apart`: whether to use only sources whose hash assigns them to this split.
Split draw_split(const SyntheticTask& kind, const SplitRequest& wanted, bool held_apart,
                 const TaskMaking& making, const Task& task) {
  const Draws draws(making.seed, fmt::format("task/{}", wanted.name), 0);
  const std::string complaint =
      fmt::format("there are too few {} for a separate {} split; raise {}", kind.sources,
                  wanted.name, kind.remedy);
  Examples pairs;
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
  return synthetic_split(wanted.name, std::move(pairs), kind.relations, making, task);
}

}  // namespace

template std::vector<Row> rows_of(SplitSizes& options);

Split synthetic_split(std::string_view name, Examples drawn, const RelationsOf& relations,
                      const TaskMaking& making, const Task& task) {
  Split split{.name = std::string(name)};
  const auto pairs = std::make_shared<const Examples>(std::move(drawn));
  if (name != "train") {
    for (const auto& [source, target] : *pairs) {
      split.source_texts.push_back(task.source_tokenizer->decode(source));
      split.references.push_back(task.target_tokenizer->decode(target));
    }
  }
  const auto find = [pairs, relations](Index number) {
    return relations((*pairs)[static_cast<std::size_t>(number)]);
  };
  split.source = pair_source(pairs, making.layout, relations ? FindRelations(find) : nullptr, name);
  return split;
}

Relation keys_of_values(Index pairs) {
  const auto value_and_key = [](Index pair) { return PositionPair{2 * pair + 1, 2 * pair}; };
  return {"key", RelationSide::source, mapped(numbers_below(pairs), value_and_key)};
}

Relations with_answer(Relation first, const Example& example) {
  const Index last = std::ssize(example.source) - 1;
  const Index before =
      std::ranges::find(example.source, example.source.back()) - example.source.begin();
  Relation answer{.name = "answer", .side = RelationSide::across};
  if (before < last) {
    answer.pairs = {{1, before + 1}};
  }
  return {std::move(first),
          {.name = "question", .side = RelationSide::across, .pairs = {{0, last}}},
          std::move(answer)};
}

Relations next_token_relations(const Example& example,
                               const std::function<bool(TokenId)>& repeats) {
  const auto rows = std::ssize(example.source);
  Relation answer{.name = "answer", .side = RelationSide::source};
  for (Index row = 0; row < rows; ++row) {
    const TokenId token = example.source[static_cast<std::size_t>(row)];
    const Index end = repeats(token) ? row : 0;
    for (Index before = 0; before < end; ++before) {
      if (example.source[static_cast<std::size_t>(before)] == token) {
        answer.pairs.push_back({row, before + 1});
      }
    }
  }
  return {one_back(RelationSide::source, rows), std::move(answer)};
}

Task make_splits(const SyntheticTask& kind, const TaskMaking& making) {
  Task task = task_with_joint_tokenizer(making.tokenizers, kind.tokenizer);
  for (const auto& [name, examples] : {std::pair("train", kind.sizes.train_examples),
                                       std::pair("validation", kind.sizes.validation_examples),
                                       std::pair("test", kind.sizes.test_examples)}) {
    task.splits.push_back(draw_split(kind, {name, examples, kind.lengths}, true, making, task));
  }
  for (const SplitRequest& further : kind.further) {
    task.splits.push_back(draw_split(kind, further, false, making, task));
  }
  return task;
}

}  // namespace tapehead
