// The task repeated: some symbols, all different, again and again.
//
//   c a d b c a d b c a   (a period of four)
//
// The target is the source shifted by one, so an encoder whose rows see no later row reads a
// sequence as a language model does. The first period cannot be predicted. From the second on, the
// next symbol is what followed the same symbol before. This takes an induction head (Olsson et al.
// 2022): periods differ from sequence to sequence, so the distance is not fixed.

#include "datasets/synthetic/splits.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct RepeatedOptions {
  Index vocabulary = 32;
  Index min_period = 8;
  Index max_period = 24;
  Index length = 64;

  LongestSide longest() const { return {length, "task.length"}; }
  SyntheticTask task(const SplitSizes& sizes) const;

  void shrink(const Shrinking& shrinking) {
    constexpr Index most = Shrinking::most_tokens;
    shrinking.at_most("task.min_period", min_period, most / 4);
    shrinking.at_most("task.max_period", max_period, most / 4, min_period);
    shrinking.at_most("task.length", length, most / 2, max_period + 1);
    shrinking.at_most("task.vocabulary", vocabulary, Shrinking::most_symbols, max_period);
  }

  void fields(const auto& row) {
    row(vocabulary, named("vocabulary", 2, 1000000), "number of symbols");
    row(min_period, named("min_period", 1, 100000),
        "shortest period: symbols until a sequence repeats");
    row(max_period, named("max_period", 1, 100000),
        "longest period; all symbols of a period are different");
    row(length, named("length", 2, 100000, "tokens"),
        "symbols of each sequence that the model reads");
  }
};

Example draw(const RepeatedOptions& options, RandomSource& random, const Lengths& periods) {
  const std::vector<Index> period = random.different(periods.draw(random), options.vocabulary);
  std::vector<TokenId> tokens;
  for (Index i = 0; i <= options.length; ++i) {
    tokens.push_back(entry_id(period[static_cast<std::size_t>(i % std::ssize(period))]));
  }
  return {.source = {tokens.begin(), tokens.end() - 1},
          .target = {tokens.begin() + 1, tokens.end()}};
}

constexpr std::array rules{TaskRule{
    "`task.min_period` is at most `task.max_period`, which is at most `task.vocabulary` and less "
    "than `task.length`.",
    [](const TaskOptions& options) {
      const auto& task = options.as<RepeatedOptions>();
      return first_violation(
          {violation_if(task.min_period > task.max_period, {"task.min_period", "task.max_period"},
                        "more than task.max_period ({}, {})", task.min_period, task.max_period),
           violation_if(
               task.max_period > task.vocabulary, {"task.max_period", "task.vocabulary"},
               "a period needs more different symbols than there are ({}, task.vocabulary {})",
               task.max_period, task.vocabulary),
           violation_if(task.max_period >= task.length, {"task.max_period", "task.length"},
                        "at least the length of a sequence, so a sequence would not repeat ({}, "
                        "task.length {})",
                        task.max_period, task.length)});
    }}};

SyntheticTask RepeatedOptions::task(const SplitSizes& sizes) const {
  return {.tokenizer = numbered_tokenizer({{"s{}", vocabulary}}),
          .draw = std::bind_front(draw, *this),
          .relations =
              [](const Example& example) {
                return next_token_relations(example, [](TokenId) { return true; });
              },
          .sources =
              fmt::format("periods of {} to {} of {} symbols", min_period, max_period, vocabulary),
          .remedy = "task.max_period or task.vocabulary",
          .sizes = sizes,
          .lengths = {min_period, max_period}};
}

}  // namespace

extern constinit const TaskKind repeated_task = drawn_kind<RepeatedOptions>("repeated", rules);

}  // namespace tapehead
