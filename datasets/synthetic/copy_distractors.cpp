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

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"marked", "probability that a symbol is marked, to be copied", 0, 1}, marked);
  }
};

Example draw(RandomSource& random, const Lengths& lengths, Index vocabulary, double marked) {
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

Relations relations(const Example& example, Index vocabulary) {
  Relation answer{.name = "answer", .side = RelationSide::across};
  for (Index row = 0; row < static_cast<Index>(example.source.size()); ++row) {
    if (example.source[static_cast<std::size_t>(row)] >= entry_id(vocabulary)) {
      answer.pairs.push_back({static_cast<Index>(answer.pairs.size()), row});
    }
  }
  return {answer};
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& symbols = options.as<SyntheticOptions>();
  const double marked = options.as<DistractorOptions>().marked;
  const Index vocabulary = symbols.vocabulary;
  return make_symbol_task(
      symbols,
      [=](RandomSource& random, const Lengths& lengths) {
        return draw(random, lengths, vocabulary, marked);
      },
      [=](const Example& example) { return relations(example, vocabulary); }, making,
      // The symbols 0 ... vocabulary - 1, then the same symbols marked.
      numbered_tokenizer({{"{}", vocabulary}, {"{}*", vocabulary}}));
}

}  // namespace

extern constinit const TaskKind copy_distractors_task =
    symbol_kind("copy_distractors", make, options_of<SyntheticOptions, DistractorOptions>);

}  // namespace tapehead
