// The task grammar_translation: English and German sentences of a small synchronous grammar, which
// has more sentences than any training can use.
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/files/hash.hpp"
#include "datasets/grammar/sentence_relations.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/task_making.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

struct GrammarOptions {
  Index train_examples = 20000;
  Index validation_examples = 1000;
  Index test_examples = 1000;
  bool homonyms = false;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "train_examples",
                .help = "sentence pairs to train on",
                .minimum = 1,
                .maximum = 1e8},
          train_examples);
    visit(Field{.name = "validation_examples",
                .help = "held-out pairs that choose the best checkpoint",
                .minimum = 1,
                .maximum = 1e7},
          validation_examples);
    visit(Field{.name = "test_examples",
                .help = "held-out pairs for the final test",
                .minimum = 1,
                .maximum = 1e7},
          test_examples);
    visit(Field{.name = "homonyms",
                .help = "English words that have two German ones; the verb says which"},
          homonyms);
  }
};

Draws draws_of(std::string_view split, std::uint64_t seed) {
  return Draws(seed, fmt::format("task/{}", split), 0);
}

// `numbers` gets the numbers of the sentences in the stream of the split.
Split draw_split(std::string_view name, Index count, std::uint64_t seed, bool homonyms,
                 const Tokenizers& tokenizers, std::vector<Index>& numbers) {
  const Draws draws = draws_of(name, seed);
  Split split;
  split.name = name;
  collect(count, fmt::format("the grammar has no sentences for the {} split", name),
          [&](Index attempt) {
            const grammar::Sentence sentence = grammar::draw_sentence(draws, attempt, homonyms);
            std::string source = grammar::to_english(sentence);
            if (split_of(Hash().add(seed).add(source).value()) != name) {
              return false;
            }
            std::string target = grammar::to_german(sentence);
            split.examples.push_back(
                {tokenizers.source->encode(source), tokenizers.target->encode(target)});
            numbers.push_back(attempt);
            if (name != "train") {
              split.source_texts.push_back(std::move(source));
              split.references.push_back(std::move(target));
            }
            return true;
          });
  return split;
}

Task make(const TaskOptions& options, std::uint64_t seed, const std::filesystem::path& tokenizers) {
  const auto& grammar = options.as<GrammarOptions>();
  const Tokenizers kept = kept_joint_tokenizer(
      tokenizers, std::make_shared<VocabularyTokenizer>(
                      Vocabulary(grammar::all_words(grammar.homonyms)), Unit::word));
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  std::map<std::string, std::vector<Index>, std::less<>> numbers;
  for (const auto& [name, count] : {std::pair("train", grammar.train_examples),
                                    std::pair("validation", grammar.validation_examples),
                                    std::pair("test", grammar.test_examples)}) {
    task.splits.push_back(draw_split(name, count, seed, grammar.homonyms, kept, numbers[name]));
  }
  task.find_relations = [seed, homonyms = grammar.homonyms, numbers = std::move(numbers)](
                            const Split& split, Index example) {
    const Index number = numbers.at(split.name).at(static_cast<std::size_t>(example));
    const auto sentence = grammar::draw_sentence(draws_of(split.name, seed), number, homonyms);
    Relations relations = grammar::relations_of(sentence);
    if (homonyms) {
      grammar::add_homonym_relations(sentence, relations);
    }
    return relations;
  };
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
