// The task modular_arithmetic: the sum of two numbers, modulo a prime or any other number.
//
//   58 91   ->   52        (modulus 97)
//
// There are only modulus² pairs, and a part of them is for training. A model first memorises the
// training pairs. Much later, with weight decay, it finds the rule and is right about the held-out
// pairs too (Power et al. 2022, "Grokking").

#include "datasets/synthetic/splits.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct ModularOptions {
  Index modulus = 97;
  double train_share = 0.5;

  void fields(const auto& row) {
    row(modulus, named("modulus", 2, 1000), "sums are taken modulo this");
    row(train_share, below(above(named("train_share", 0, 1))),
        "part of all pairs to train on; a fifth of the other pairs is for validation, the rest for "
        "the test");
  }
};

// The number of pairs for training, validation and test.
std::array<Index, 3> sizes_of(const ModularOptions& options) {
  const Index all = options.modulus * options.modulus;
  const Index train = std::llround(options.train_share * static_cast<double>(all));
  const Index validation = (all - train) / 5;
  return {train, validation, all - train - validation};
}

constexpr std::array modular_rules{TaskRule{
    "In `modular_arithmetic` each split has a pair.", [](const TaskOptions& options) {
      const auto [train, validation, test] = sizes_of(options.as<ModularOptions>());
      return violation_if(
          std::min({train, validation, test}) <= 0, {"task.train_share", "task.modulus"},
          "of the {} pairs {} would be for training, {} for validation and {} for the test",
          train + validation + test, train, validation, test);
    }}};

Task make_modular(const TaskOptions& options, const TaskMaking& making) {
  const auto& modular = options.as<ModularOptions>();
  const Index modulus = modular.modulus;
  Task task = task_with_joint_tokenizer(making.tokenizers, numbered_tokenizer({{"{}", modulus}}));
  task.cyclic_tokens = mapped(numbers_below(modulus), entry_id);
  const auto summands = [](const Example&) -> Relations {
    return {{.name = "summand", .side = RelationSide::across, .pairs = {{0, 0}, {0, 1}}}};
  };
  const std::vector<Index> order =
      draw_permutation(Draws(making.seed, "task/pairs", 0), modulus * modulus);
  const auto [train, validation, test] = sizes_of(modular);
  Index first = 0;
  for (const auto& [name, count] :
       {std::pair("train", train), std::pair("validation", validation), std::pair("test", test)}) {
    Examples pairs;
    for (const Index end = first + count; first < end; ++first) {
      const Index number = order[static_cast<std::size_t>(first)];  // of the pair (a, b)
      const Index a = number / modulus;
      const Index b = number % modulus;
      pairs.push_back({{entry_id(a), entry_id(b)}, {entry_id((a + b) % modulus)}});
    }
    task.splits.push_back(synthetic_split(name, std::move(pairs), summands, making, task));
  }
  return task;
}

}  // namespace

extern constinit const TaskKind modular_arithmetic_task{
    .name = "modular_arithmetic",
    .options = options_of<ModularOptions>,
    .rules = modular_rules,
    .longest = [](const TaskOptions&) { return LongestSide{.tokens = 2, .option = "task.name"}; },
    .shrink =
        [](TaskOptions& task, const Shrinking& shrinking) {
          shrinking.at_most("task.modulus", task.as<ModularOptions>().modulus, 8, 4);
        },
    .make = make_modular};

}  // namespace tapehead
