// The task grammar_translation: English and German sentences of a small synchronous grammar, which
// has more of them than could ever be trained on.
#include <utility>

#include <fmt/format.h>

#include "datasets/grammar/sentence.hpp"
#include "datasets/hash.hpp"
#include "datasets/tasks.hpp"
#include "datasets/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

Split draw_split(std::string_view name, Index count, std::uint64_t seed,
                 const Tokenizers& tokenizers) {
  const Draws draws(seed, fmt::format("task/{}", name), 0);
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
  task.splits.push_back(draw_split("train", grammar.train_examples, seed, kept));
  task.splits.push_back(draw_split("validation", grammar.validation_examples, seed, kept));
  task.splits.push_back(draw_split("test", grammar.test_examples, seed, kept));
  return task;
}

}  // namespace tapehead
