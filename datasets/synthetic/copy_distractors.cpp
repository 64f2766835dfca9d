// The task copy_distractors: copy only the marked symbols of a sequence.
//
//   4 0* 7 7* 1   ->   0 7
//
// The model must attend to the next marked symbol: this depends on content, not on distance. To
// know which marked symbol is next, the model must count the ones before it.
#include "datasets/synthetic/symbols.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct DistractorOptions {
  double marked = 0.5;

  void fields(const auto& row) {
    row(marked, named("marked", 0, 1), "probability that a symbol is marked, to be copied");
  }
};

Example draw(Index vocabulary, double marked, RandomSource& random, const Lengths& lengths) {
  Example example;
  example.source.resize(static_cast<std::size_t>(lengths.draw(random)));
  for (TokenId& token : example.source) {
    token = entry_id(random.below(vocabulary));
    if (random.with_probability(marked)) {
      example.target.push_back(token);
      token += static_cast<TokenId>(vocabulary);
    }
  }
  return example;
}

Relations relations(Index vocabulary, const Example& example) {
  Relation answer{.name = "answer", .side = RelationSide::across};
  for (Index row = 0; row < std::ssize(example.source); ++row) {
    if (example.source[static_cast<std::size_t>(row)] >= entry_id(vocabulary)) {
      answer.pairs.push_back({std::ssize(answer.pairs), row});
    }
  }
  return {answer};
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& symbols = options.as<SyntheticOptions>();
  const double marked = options.as<DistractorOptions>().marked;
  const Index vocabulary = symbols.vocabulary;
  // The symbols 0 ... vocabulary - 1, then the same symbols marked.
  const auto tokenizer = numbered_tokenizer({{"{}", vocabulary}, {"{}*", vocabulary}});
  return make_symbol_task(symbols, std::bind_front(draw, vocabulary, marked),
                          std::bind_front(relations, vocabulary), making, tokenizer);
}

}  // namespace

extern constinit const TaskKind copy_distractors_task =
    symbol_kind("copy_distractors", make, options_of<SyntheticOptions, DistractorOptions>);

}  // namespace tapehead
