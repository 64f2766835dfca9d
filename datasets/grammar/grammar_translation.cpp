// The task grammar_translation: English and German sentences of a small synchronous grammar.

#include "datasets/grammar/sentence.hpp"
#include "datasets/make_task.hpp"
#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct GrammarOptions {
  Index train_examples = 20000;
  Index validation_examples = 1000;
  Index test_examples = 1000;
  bool homonyms = false;
  bool mat = false;

  void fields(const auto& row) {
    row(train_examples, named("train_examples", 1, 1e8), "sentence pairs to train on");
    row(validation_examples, named("validation_examples", 1, 1e7),
        "held-out pairs that choose the best checkpoint");
    row(test_examples, named("test_examples", 1, 1e7), "held-out pairs for the final test");
    row(homonyms, named("homonyms"),
        "English words with two German translations; the verb says which");
    row(mat, named("mat"), "also the words sit, on and mat: the cat sat on the mat");
  }
};

Split draw_split(std::string_view name, Index count, const GrammarOptions& options,
                 const TaskMaking& making, const Task& task) {
  const Draws draws(making.seed, fmt::format("task/{}", name), 0);
  const auto draw = [draws, homonyms = options.homonyms, mat = options.mat](Index number) {
    return grammar::draw_sentence(draws, number, homonyms, mat);
  };
  Split split{.name = std::string(name)};
  Examples pairs;
  std::vector<Index> numbers;
  collect(count, fmt::format("the grammar has no sentences for the {} split", name),
          [&](Index attempt) {
            const grammar::Sentence sentence = draw(attempt);
            std::string source = grammar::to_english(sentence);
            if (split_of(Hash().add(making.seed).add(source).value()) != name) {
              return false;
            }
            std::string target = grammar::to_german(sentence);
            pairs.push_back(
                {task.source_tokenizer->encode(source), task.target_tokenizer->encode(target)});
            numbers.push_back(attempt);
            if (name != "train") {
              split.source_texts.push_back(std::move(source));
              split.references.push_back(std::move(target));
            }
            return true;
          });
  split.source = pair_source(
      std::make_shared<const Examples>(std::move(pairs)), making.layout,
      [draw, homonyms = options.homonyms, numbers = std::move(numbers)](Index example) {
        return grammar::relations_of(draw(numbers[static_cast<std::size_t>(example)]), homonyms);
      },
      name);
  return split;
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& grammar = options.as<GrammarOptions>();
  Task task = task_with_joint_tokenizer(
      making.tokenizers,
      std::make_shared<VocabularyTokenizer>(
          Vocabulary(grammar::all_words(grammar.homonyms, grammar.mat)), Unit::word));
  for (const auto& [name, count] : {std::pair("train", grammar.train_examples),
                                    std::pair("validation", grammar.validation_examples),
                                    std::pair("test", grammar.test_examples)}) {
    task.splits.push_back(draw_split(name, count, grammar, making, task));
  }
  return task;
}

}  // namespace

extern constinit const TaskKind grammar_translation_task{
    .name = "grammar_translation",
    .options = options_of<GrammarOptions>,
    .shrink = [](TaskOptions& task,
                 const Shrinking& shrink) { shrink.splits(task.as<GrammarOptions>()); },
    .make = make};

}  // namespace tapehead
