// The task few_shot, a small version of Brown et al. 2020: each example draws a mapping of keys to
// values, shows some pairs of the mapping (the shots), and asks for the value of a key.
//
//   k3 v1 k0 v8 k3   ->   k3 v1         (two shots)
//
// Each example has its own mapping, so weights cannot know it: the answer is in the source, or
// nowhere. Any key can be asked for, whether it was shown or not.

#include "datasets/synthetic/splits.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct FewShotOptions {
  Index keys = 8;
  Index values = 16;
  Index shots = 8;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"keys", "keys of each mapping, any of which is asked for", 1, 10000}, keys);
    visit(Field{"values", "number of values", 2, 10000}, values);
    visit(Field{"shots",
                "most pairs that are shown; in training and test 0 to so many, in those of the "
                "further test splits `shots_0`, `shots_1`, `shots_2`, `shots_4` and `shots_8` that "
                "are not above it exactly so many",
                1, 10000},
          shots);
  }
};

constexpr std::array<Index, 5> tested_shots{0, 1, 2, 4, 8};

// Entries are first the keys, then the values.
Example draw_shots(RandomSource& random, const Lengths& shots, const FewShotOptions& options) {
  std::vector<TokenId> mapping(static_cast<std::size_t>(options.keys));
  for (TokenId& value : mapping) {
    value = entry_id(options.keys + random.below(options.values));
  }
  Example example;
  for (const Index key : random.different(shots.draw(random), options.keys)) {
    example.source.push_back(entry_id(key));
    example.source.push_back(mapping[static_cast<std::size_t>(key)]);
  }
  const Index asked = random.below(options.keys);
  example.source.push_back(entry_id(asked));
  example.target = {entry_id(asked), mapping[static_cast<std::size_t>(asked)]};
  return example;
}

// `key`: a shown value and its key. `question`, `answer`: a row that is written and its source.
Relations shot_relations(const Example& example) {
  Relation key{.name = "key", .side = RelationSide::source};
  Relation answer{.name = "answer", .side = RelationSide::across};
  const auto asked = std::ssize(example.source) - 1;
  for (Index row = 0; row + 1 < asked; row += 2) {
    key.pairs.push_back({row + 1, row});
    if (example.source[static_cast<std::size_t>(row)] == example.source.back()) {
      answer.pairs.push_back({1, row + 1});
    }
  }
  return {key, {.name = "question", .side = RelationSide::across, .pairs = {{0, asked}}}, answer};
}

std::optional<Violation> more_shots_than_keys(const TaskOptions& options) {
  const auto& task = options.as<FewShotOptions>();
  if (task.shots <= task.keys) {
    return {};
  }
  return Violation{
      {"task.shots", "task.keys"},
      fmt::format("more shots than there are keys ({}, task.keys {})", task.shots, task.keys)};
}

constexpr std::array few_shot_rules{
    TaskRule{"`task.shots` is at most `task.keys`.", more_shots_than_keys}};

std::vector<std::string> few_shot_splits(const TaskOptions& options) {
  std::vector<std::string> names = usual_splits();
  for (const Index shots : tested_shots) {
    if (shots <= options.as<FewShotOptions>().shots) {
      names.push_back(fmt::format("shots_{}", shots));
    }
  }
  return names;
}

LongestSide longest_shots(const TaskOptions& options) {
  return {.tokens = 2 * options.as<FewShotOptions>().shots + 1, .option = "task.shots"};
}

void shrink_shots(TaskOptions& task, const Shrinking& shrinking) {
  auto& options = task.as<FewShotOptions>();
  shrinking.splits(task.as<SplitSizes>());
  shrinking.at_most("task.shots", options.shots, Shrinking::most_tokens / 4);
  shrinking.at_most("task.keys", options.keys, Shrinking::most_symbols, options.shots);
  shrinking.at_most("task.values", options.values, Shrinking::most_symbols);
}

Task make_few_shot(const TaskOptions& task, const TaskMaking& making) {
  const auto options = task.as<FewShotOptions>();
  const auto& sizes = task.as<SplitSizes>();
  const SyntheticTask kind{
      .tokenizer = numbered_tokenizer({{"k{}", options.keys}, {"v{}", options.values}}),
      .draw = [options](RandomSource& random,
                        const Lengths& shots) { return draw_shots(random, shots, options); },
      .relations = shot_relations,
      .sources = fmt::format("sequences of up to {} pairs of {} keys and {} values", options.shots,
                             options.keys, options.values),
      .remedy = "task.shots or task.values"};
  SyntheticSplits splits{sizes, {0, options.shots}};
  for (const Index shots : tested_shots) {
    if (shots <= options.shots) {
      splits.further.push_back({.name = fmt::format("shots_{}", shots),
                                .examples = sizes.test_examples,
                                .lengths = {shots, shots}});
    }
  }
  return make_splits(kind, splits, making);
}

}  // namespace

extern constinit const TaskKind few_shot_task{.name = "few_shot",
                                              .options = options_of<FewShotOptions, SplitSizes>,
                                              .rules = few_shot_rules,
                                              .longest = longest_shots,
                                              .splits = few_shot_splits,
                                              .shrink = shrink_shots,
                                              .make = make_few_shot};

}  // namespace tapehead
