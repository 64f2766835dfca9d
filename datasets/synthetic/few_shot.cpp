// The task few_shot, a small version of Brown et al. 2020: each example draws a mapping of keys to
// values, shows some pairs of the mapping (the shots), and asks for the value of a key.
//
//   k3 v1 k0 v8 k3   ->   k3 v1         (two shots)
//
// Each example has its own mapping, so weights cannot know it: the answer is in the source, or
// nowhere. Any key can be asked for, whether it was shown or not.

#include "datasets/synthetic/splits.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct FewShotOptions {
  Index keys = 8;
  Index values = 16;
  Index shots = 8;

  LongestSide longest() const { return {2 * shots + 1, "task.shots"}; }
  SyntheticTask task(const SplitSizes& sizes) const;

  void shrink(const Shrinking& shrinking) {
    shrinking.at_most("task.shots", shots, Shrinking::most_tokens / 4);
    shrinking.at_most("task.keys", keys, Shrinking::most_symbols, shots);
    shrinking.at_most("task.values", values, Shrinking::most_symbols);
  }

  void fields(const auto& row) {
    row(keys, named("keys", 1, 10000), "keys of each mapping; the query is one of them");
    row(values, named("values", 2, 10000), "number of values");
    row(shots, named("shots", 1, 10000),
        "most pairs that are shown; training and test show 0 to this many; the further test splits "
        "`shots_0`, `shots_1`, `shots_2`, `shots_4` and `shots_8`, up to this limit, show exactly "
        "their number");
  }
};

// Entries are first the keys, then the values.
Example draw(const FewShotOptions& options, RandomSource& random, const Lengths& shots) {
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

Relations relations(const Example& example) {
  return with_answer(keys_of_values(std::ssize(example.source) / 2), example);
}

constexpr std::array rules{
    TaskRule{"`task.shots` is at most `task.keys`.", [](const TaskOptions& options) {
               const auto& task = options.as<FewShotOptions>();
               return violation_if(task.shots > task.keys, {"task.shots", "task.keys"},
                                   "more shots than there are keys ({}, task.keys {})", task.shots,
                                   task.keys);
             }}};

std::vector<SplitRequest> further_splits(const FewShotOptions& options, const SplitSizes& sizes) {
  std::vector<SplitRequest> splits;
  for (const Index shots : {0, 1, 2, 4, 8}) {
    if (shots <= options.shots) {
      splits.push_back({.name = fmt::format("shots_{}", shots),
                        .examples = sizes.test_examples,
                        .lengths = {shots, shots}});
    }
  }
  return splits;
}

std::vector<std::string> split_names(const TaskOptions& task) {
  std::vector<std::string> names = usual_splits();
  std::ranges::transform(further_splits(task.as<FewShotOptions>(), task.as<SplitSizes>()),
                         std::back_inserter(names), &SplitRequest::name);
  return names;
}

SyntheticTask FewShotOptions::task(const SplitSizes& sizes) const {
  return {.tokenizer = numbered_tokenizer({{"k{}", keys}, {"v{}", values}}),
          .draw = std::bind_front(draw, *this),
          .relations = relations,
          .sources = fmt::format("sequences of up to {} pairs of {} keys and {} values", shots,
                                 keys, values),
          .remedy = "task.shots or task.values",
          .sizes = sizes,
          .lengths = {0, shots},
          .further = further_splits(*this, sizes)};
}

}  // namespace

extern constinit const TaskKind few_shot_task =
    drawn_kind<FewShotOptions>("few_shot", rules, split_names);

}  // namespace tapehead
