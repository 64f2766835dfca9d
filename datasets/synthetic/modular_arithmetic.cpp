// The task modular_arithmetic: the sum of two numbers, modulo a prime or any other number.
//
//   58 91   ->   52        (modulus 97)
//
// There are only modulus² pairs, and a part of them is for training. A model first memorises the
// training pairs. Much later, with weight decay, it finds the rule and is right about the held-out
// pairs too (Power et al. 2022, "Grokking").

#include "core/random/draws.hpp"
#include "datasets/synthetic/splits.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct ModularOptions {
  Index modulus = 97;
  double train_share = 0.5;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"modulus", "sums are taken modulo this", 2, 1000}, modulus);
    visit(Field{.name = "train_share",
                .help = "part of all pairs to train on; a fifth of the others is for validation, "
                        "the rest for the test",
                .minimum = 0,
                .maximum = 1,
                .exclusive_minimum = true,
                .exclusive_maximum = true},
          train_share);
  }
};

// The number of pairs in each split.
struct Sizes {
  Index train;
  Index validation;
  Index test;
};

Sizes sizes_of(const ModularOptions& options) {
  const Index all = options.modulus * options.modulus;
  const Index train = std::llround(options.train_share * static_cast<double>(all));
  const Index validation = (all - train) / 5;
  return {.train = train, .validation = validation, .test = all - train - validation};
}

std::optional<Violation> every_split_has_pairs(const TaskOptions& task) {
  const auto& options = task.as<ModularOptions>();
  const Sizes sizes = sizes_of(options);
  if (sizes.train > 0 && sizes.validation > 0 && sizes.test > 0) {
    return {};
  }
  return Violation{
      {"task.train_share", "task.modulus"},
      fmt::format("of the {} pairs {} would be for training, {} for validation and {} for the test",
                  options.modulus * options.modulus, sizes.train, sizes.validation, sizes.test)};
}

constexpr std::array modular_rules{
    TaskRule{"In `modular_arithmetic` each split has a pair.", every_split_has_pairs}};

// Pair number n is (n / modulus, n mod modulus).
Example sum_of_pair(Index number, Index modulus) {
  const Index a = number / modulus;
  const Index b = number % modulus;
  return {.source = {entry_id(a), entry_id(b)}, .target = {entry_id((a + b) % modulus)}};
}

Relations summands(const Example&) {
  return {{.name = "summand", .side = RelationSide::across, .pairs = {{0, 0}, {0, 1}}}};
}

Task make_modular(const TaskOptions& options, const TaskMaking& making) {
  const auto& modular = options.as<ModularOptions>();
  const Tokenizers kept =
      kept_joint_tokenizer(making.tokenizers, numbered_tokenizer({{"{}", modular.modulus}}));
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  for (Index number = 0; number < modular.modulus; ++number) {
    task.cyclic_tokens.push_back(entry_id(number));
  }
  const std::vector<Index> order =
      draw_permutation(Draws(making.seed, "task/pairs", 0), modular.modulus * modular.modulus);
  const auto [train, validation, test] = sizes_of(modular);
  Index first = 0;
  for (const auto& [name, count] :
       {std::pair("train", train), std::pair("validation", validation), std::pair("test", test)}) {
    Examples pairs;
    for (const Index end = first + count; first < end; ++first) {
      pairs.push_back(sum_of_pair(order[static_cast<std::size_t>(first)], modular.modulus));
    }
    task.splits.push_back(synthetic_split(name, std::move(pairs), summands, making, *kept.target));
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
          auto& options = task.as<ModularOptions>();
          shrinking.at_most("task.modulus", options.modulus, 8, 4);
        },
    .make = make_modular};

}  // namespace tapehead
