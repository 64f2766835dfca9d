#include "datasets/synthetic/symbols.hpp"

#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

template std::vector<Row> rows_of(SyntheticOptions& options);

DrawExample draw_symbols(Index vocabulary,
                         const std::function<std::vector<TokenId>(std::vector<TokenId>)>& answer) {
  return [vocabulary, answer](RandomSource& random, const Lengths& lengths) {
    Example example;
    example.source.resize(static_cast<std::size_t>(lengths.draw(random)));
    for (TokenId& symbol : example.source) {
      symbol = entry_id(random.below(vocabulary));
    }
    example.target = answer(example.source);
    return example;
  };
}

Task make_symbol_task(const SyntheticOptions& options, const DrawExample& draw,
                      const RelationsOf& relations, const TaskMaking& making,
                      std::shared_ptr<const Tokenizer> tokenizer) {
  SyntheticTask task{
      .tokenizer =
          tokenizer ? std::move(tokenizer) : numbered_tokenizer({{"{}", options.vocabulary}}),
      .draw = draw,
      .relations = relations,
      .sources = fmt::format("sequences of {} to {} symbols out of {}", options.min_length,
                             options.max_length, options.vocabulary),
      .remedy = "task.vocabulary or task.max_length",
      .sizes = {options.train_examples, options.validation_examples, options.test_examples},
      .lengths = {options.min_length, options.max_length}};
  if (options.longer_examples > 0) {
    task.further.push_back({.name = "longer",
                            .examples = options.longer_examples,
                            .lengths = {options.longer_min_length, options.longer_max_length}});
  }
  return make_splits(task, making);
}

std::optional<Violation> lengths_out_of_order(const TaskOptions& options) {
  const auto& task = options.as<SyntheticOptions>();
  return violation_if(task.min_length > task.max_length, {"task.min_length", "task.max_length"},
                      "longer than task.max_length ({}, {})", task.min_length, task.max_length);
}

std::optional<Violation> longer_not_longer(const TaskOptions& options) {
  const auto& task = options.as<SyntheticOptions>();
  if (task.longer_examples == 0) {
    return violation_if(
        task.longer_min_length != 0 || task.longer_max_length != 0,
        {"task.longer_examples", "task.longer_max_length", "task.longer_min_length"},
        "lengths for the split `longer`, but no examples: set task.longer_examples");
  }
  return first_violation(
      {violation_if(task.longer_min_length <= task.max_length,
                    {"task.longer_min_length", "task.longer_examples", "task.max_length"},
                    "the split `longer` must begin beyond task.max_length (longer_min_length {}, "
                    "max_length {})",
                    task.longer_min_length, task.max_length),
       violation_if(task.longer_min_length > task.longer_max_length,
                    {"task.longer_max_length", "task.longer_min_length"},
                    "shorter than task.longer_min_length ({}, {})", task.longer_max_length,
                    task.longer_min_length)});
}

std::vector<std::string> symbol_splits(const TaskOptions& options) {
  std::vector<std::string> names = usual_splits();
  if (options.as<SyntheticOptions>().longer_examples > 0) {
    names.emplace_back("longer");
  }
  return names;
}

// With fewer than two symbols, each length has only one sequence, so the lengths stay.
void shrink_symbols(SyntheticOptions& symbols, const Shrinking& shrink, Index shortest) {
  shrink.splits(symbols);
  shrink.at_most("task.longer_examples", symbols.longer_examples, Shrinking::most_examples);
  shrink.at_most("task.vocabulary", symbols.vocabulary, Shrinking::most_symbols);
  if (symbols.vocabulary < 2) {
    return;
  }
  shrink.at_most("task.min_length", symbols.min_length, Shrinking::most_tokens, shortest);
  shrink.at_most("task.max_length", symbols.max_length, Shrinking::most_tokens, symbols.min_length);
}

}  // namespace tapehead
