// The task tagged_text: sentences, with a label for each of their tokens.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/tagged_lines.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

struct TaggedTextOptions {
  std::string train_columns{};
  std::string validation_columns{};
  std::string test_columns{};
  Index vocabulary = 10000;
  Index max_length = 256;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"train_columns",
                "file to train on: a token a line, first the token and last its label, and an "
                "empty line between sentences (CoNLL)"},
          train_columns);
    visit(Field{"validation_columns", "file for validation"}, validation_columns);
    visit(Field{"test_columns", "file for the final test; empty: no test split"}, test_columns);
    visit(Field{"vocabulary",
                "at most so many entries, with the three marks: the most frequent tokens", 4, 1e6},
          vocabulary);
    visit(Field{"max_length", "longer training sentences are dropped, and counted", 1, 100000,
                "tokens"},
          max_length);
  }
};

constexpr std::array<std::string_view, 3> column_files{"train_columns", "validation_columns",
                                                       "test_columns"};

using Sentences = std::vector<TaggedSentence>;

Tokenizers tagged_tokenizers(const Sentences& train, Index limit) {
  std::vector<std::string> tokens;
  std::vector<std::string> labels;
  for (const TaggedSentence& sentence : train) {
    tokens.push_back(sentence.tokens);
    labels.push_back(sentence.labels);
  }
  constexpr Index all = 1'000'000;
  return {.source = std::make_shared<VocabularyTokenizer>(count_units(tokens, Unit::word, limit),
                                                          Unit::word),
          .target = std::make_shared<VocabularyTokenizer>(count_units(labels, Unit::word, all),
                                                          Unit::word)};
}

// The pairs of a split, and what else it has.
struct TaggedPairs {
  Split split;
  Examples pairs{};
};

TaggedPairs tagged_pairs(const std::string& name, const std::string& file,
                         const Sentences& sentences, const Tokenizers& tokenizers) {
  TaggedPairs tagged{.split = {.name = name, .source_file = file, .target_file = file}};
  auto& [split, pairs] = tagged;
  for (const TaggedSentence& sentence : sentences) {
    Example example{.source = tokenizers.source->encode(sentence.tokens),
                    .target = tokenizers.target->encode(sentence.labels)};
    const auto unknown = std::ranges::find(example.target, unknown_id) - example.target.begin();
    if (unknown < std::ssize(example.target)) {
      const auto labels = units_of(sentence.labels, Unit::word);
      throw DataError(fmt::format(
          "{}:{}: the label `{}` is not in the training data, so it cannot "
          "be learned",
          file, sentence.line + unknown, shown(labels[static_cast<std::size_t>(unknown)])));
    }
    split.unknown_source.see(*tokenizers.source, sentence.tokens, example.source, sentence.line);
    pairs.push_back(std::move(example));
    split.lines.push_back(sentence.line);
    split.source_texts.push_back(sentence.tokens);
    split.references.push_back(sentence.labels);
  }
  return tagged;
}

void drop_long(TaggedPairs& tagged, const std::string& file, Index max_length) {
  auto& [train, pairs] = tagged;
  const auto all = std::ssize(pairs);
  std::erase_if(pairs,
                [&](const Example& example) { return std::ssize(example.source) > max_length; });
  train.dropped = all - std::ssize(pairs);
  train.source_texts.clear();
  train.references.clear();
  train.source_file.clear();
  train.target_file.clear();
  train.lines.clear();
  if (pairs.empty()) {
    throw DataError(fmt::format("{}: all sentences are longer than task.max_length ({} tokens)",
                                file, max_length));
  }
  if (train.dropped > 0) {
    spdlog::info("{} of {} training sentences dropped: longer than {} tokens", train.dropped, all,
                 max_length);
  }
}

Task make_tagged_text(const TaskOptions& task_options, const TaskMaking& making) {
  const auto& options = task_options.as<TaggedTextOptions>();
  struct File {
    std::string split;
    const std::string& path;
  };
  std::vector<Sentences> sentences;
  const std::array files{File{"train", options.train_columns},
                         File{"validation", options.validation_columns},
                         File{"test", options.test_columns}};
  for (const File& file : files) {
    if (!file.path.empty()) {
      expect_file(file.path, fmt::format("task.{}_columns", file.split));
      sentences.push_back(read_tagged(file.path));
    }
  }
  const Tokenizers kept = kept_tokenizers(
      making.tokenizers, [&] { return tagged_tokenizers(sentences.front(), options.vocabulary); });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    TaggedPairs tagged = tagged_pairs(files[i].split, files[i].path, sentences[i], kept);
    if (i == 0) {
      drop_long(tagged, options.train_columns, options.max_length);
    }
    tagged.split.source = pair_source(std::make_shared<const Examples>(std::move(tagged.pairs)),
                                      making.layout, {}, tagged.split.name);
    task.splits.push_back(std::move(tagged.split));
  }
  return task;
}

std::optional<Violation> columns_are_given(const TaskOptions& task) {
  const auto& options = task.as<TaggedTextOptions>();
  const bool train = !options.train_columns.empty();
  if (train && !options.validation_columns.empty()) {
    return {};
  }
  return Violation{{train ? "task.validation_columns" : "task.train_columns", "task.name"},
                   "tagged_text needs a file to train on and one for validation"};
}

constexpr std::array tagged_rules{
    TaskRule{"`tagged_text` has a `task.train_columns` and a `task.validation_columns`.",
             columns_are_given}};

std::vector<std::string> tagged_split_names(const TaskOptions& task) {
  std::vector<std::string> names{"train", "validation"};
  if (!task.as<TaggedTextOptions>().test_columns.empty()) {
    names.emplace_back("test");
  }
  return names;
}

LongestSide longest_sentence(const TaskOptions& task) {
  return {.tokens = task.as<TaggedTextOptions>().max_length};
}

void shrink_tagged_text(TaskOptions& task, const Shrinking& shrinking) {
  shrinking.at_most("task.vocabulary", task.as<TaggedTextOptions>().vocabulary,
                    Shrinking::most_symbols);
}

}  // namespace

extern constinit const TaskKind tagged_text_task{.name = "tagged_text",
                                                 .options = options_of<TaggedTextOptions>,
                                                 .rules = tagged_rules,
                                                 .longest = longest_sentence,
                                                 .splits = tagged_split_names,
                                                 .shrink = shrink_tagged_text,
                                                 .files = column_files,
                                                 .examples = ExampleKind::tags,
                                                 .make = make_tagged_text};

}  // namespace tapehead
