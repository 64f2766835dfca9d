// The task grammar_translation: English and German sentences of a small synchronous grammar, which
// has more of them than could ever be trained on.
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "datasets/grammar/sentence_relations.hpp"
#include "datasets/hash.hpp"
#include "datasets/tasks.hpp"
#include "datasets/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

Draws draws_of(std::string_view split, std::uint64_t seed) {
  return Draws(seed, fmt::format("task/{}", split), 0);
}

// `numbers` becomes those of the sentences in the stream of the split.
Split draw_split(std::string_view name, Index count, std::uint64_t seed,
                 const Tokenizers& tokenizers, std::vector<Index>& numbers) {
  const Draws draws = draws_of(name, seed);
  Split split;
  split.name = name;
  collect(count, fmt::format("the grammar has no sentences for the {} split", name),
          [&](Index attempt) {
            const grammar::Sentence sentence = grammar::draw_sentence(draws, attempt);
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

}  // namespace

Task make_grammar_translation(const TaskOptions& options, std::uint64_t seed,
                              const std::filesystem::path& tokenizers) {
  const GrammarOptions& grammar = options.grammar;
  const Tokenizers kept = kept_joint_tokenizer(
      tokenizers,
      std::make_shared<VocabularyTokenizer>(Vocabulary(grammar::all_words()), Unit::word));
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  std::map<std::string, std::vector<Index>, std::less<>> numbers;
  for (const auto& [name, count] : {std::pair("train", grammar.train_examples),
                                    std::pair("validation", grammar.validation_examples),
                                    std::pair("test", grammar.test_examples)}) {
    task.splits.push_back(draw_split(name, count, seed, kept, numbers[name]));
  }
  task.find_relations = [seed, numbers = std::move(numbers)](const Split& split, Index example) {
    const Index number = numbers.at(split.name).at(static_cast<std::size_t>(example));
    return grammar::relations_of(grammar::draw_sentence(draws_of(split.name, seed), number));
  };
  return task;
}

}  // namespace tapehead
