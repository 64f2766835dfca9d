// The task tagged_text: sentences, with a label for each of their tokens.

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct TaggedTextOptions {
  std::string train_columns{};
  std::string validation_columns{};
  std::string test_columns{};
  Index vocabulary = 10000;
  Index max_length = 256;

  LongestSide longest() const { return {max_length}; }

  void fields(const auto& row) {
    row(train_columns, named("train_columns"),
        "file to train on: a token a line, first the token and last its label, and an empty line "
        "between sentences (CoNLL)");
    row(validation_columns, named("validation_columns"), "file for validation");
    row(test_columns, named("test_columns"), "file for the final test; empty: no test split");
    row(vocabulary, named("vocabulary", 4, 1e6),
        "at most so many entries, with the three marks: the most frequent tokens");
    row(max_length, named("max_length", 1, 100000, "tokens"),
        "longer training sentences are dropped, and counted");
  }
};

constexpr std::array<std::string_view, 3> column_files{"train_columns", "validation_columns",
                                                       "test_columns"};

// Tokens and their labels, separated by spaces.
struct TaggedSentence {
  std::string tokens;
  std::string labels;
  Index line = 0;  // of its first token, from 1
};

using Sentences = std::vector<TaggedSentence>;

// Each line is a token: its first column is the token, its last column the label. Spaces or tabs
// separate columns, and empty lines separate sentences. Sentences with only the token -DOCSTART-
// begin documents (Tjong Kim Sang and De Meulder 2003) and are left out.
Sentences read_tagged(const std::string& file) {
  Sentences sentences;
  TaggedSentence open;
  const auto close = [&] {
    if (!open.tokens.empty() && open.tokens != "-DOCSTART-") {
      sentences.push_back(std::move(open));
    }
    open = {};
  };
  std::size_t columns = 0;
  Index number = 0;
  for (const std::string& line : read_lines(file)) {
    ++number;
    const std::vector<std::string_view> words = units_of(line, Unit::word);
    if (words.empty()) {
      close();
      continue;
    }
    columns = columns == 0 ? words.size() : columns;
    if (words.size() < 2 || words.size() != columns) {
      throw DataError("{}:{}: {} column{}, where {} are expected: a token first, its label last",
                      file, number, words.size(), words.size() == 1 ? "" : "s",
                      columns < 2 ? "two or more" : std::to_string(columns));
    }
    const bool first = open.tokens.empty();
    open.line = first ? number : open.line;
    open.tokens.append(first ? "" : " ").append(words.front());
    open.labels.append(first ? "" : " ").append(words.back());
  }
  close();
  if (sentences.empty()) {
    throw DataError("{}: there is no sentence in the file", file);
  }
  return sentences;
}

Tokenizers tagged_tokenizers(const Sentences& train, Index limit) {
  EntryCounts tokens;
  EntryCounts labels;
  for (const TaggedSentence& sentence : train) {
    count_units(sentence.tokens, Unit::word, tokens);
    count_units(sentence.labels, Unit::word, labels);
  }
  constexpr Index all = 1'000'000;
  return {.source = std::make_shared<VocabularyTokenizer>(most_frequent(tokens, limit), Unit::word),
          .target = std::make_shared<VocabularyTokenizer>(most_frequent(labels, all), Unit::word)};
}

// In the train split, leaves out sentences that are too long, and keeps tokens without their text.
Split tagged_split(const std::string& name, const std::string& file, const Sentences& sentences,
                   const Tokenizers& tokenizers, Index max_length, const Layout& layout) {
  const bool train = name == "train";
  Split split{.name = name, .source_file = train ? "" : file, .target_file = train ? "" : file};
  Examples pairs;
  for (const TaggedSentence& sentence : sentences) {
    Example example{.source = tokenizers.source->encode(sentence.tokens),
                    .target = tokenizers.target->encode(sentence.labels)};
    const auto unknown = std::ranges::find(example.target, unknown_id) - example.target.begin();
    if (unknown < std::ssize(example.target)) {
      throw DataError(
          "{}:{}: the label `{}` is not in the training data, so it cannot be learned", file,
          sentence.line + unknown,
          shown(units_of(sentence.labels, Unit::word)[static_cast<std::size_t>(unknown)]));
    }
    split.unknown_source.see(*tokenizers.source, sentence.tokens, example.source, sentence.line);
    if (train && std::ssize(example.source) > max_length) {
      ++split.dropped;
      continue;
    }
    pairs.push_back(std::move(example));
    if (!train) {
      split.lines.push_back(sentence.line);
      split.source_texts.push_back(sentence.tokens);
      split.references.push_back(sentence.labels);
    }
  }
  if (pairs.empty()) {
    throw DataError("{}: all sentences are longer than task.max_length ({} tokens)", file,
                    max_length);
  }
  if (split.dropped > 0) {
    spdlog::info("{} of {} training sentences dropped: longer than {} tokens", split.dropped,
                 sentences.size(), max_length);
  }
  split.source = pair_source(std::make_shared<const Examples>(std::move(pairs)), layout, {}, name);
  return split;
}

Task make_tagged_text(const TaskOptions& task_options, const TaskMaking& making) {
  const auto& options = task_options.as<TaggedTextOptions>();
  std::vector<Sentences> sentences;
  const std::array files{std::pair{"train", &options.train_columns},
                         std::pair{"validation", &options.validation_columns},
                         std::pair{"test", &options.test_columns}};
  for (const auto& [split, path] : files) {
    if (!path->empty()) {
      expect_file(*path, fmt::format("task.{}_columns", split));
      sentences.push_back(read_tagged(*path));
    }
  }
  const Tokenizers kept = kept_tokenizers(
      making.tokenizers, [&] { return tagged_tokenizers(sentences.front(), options.vocabulary); });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    task.splits.push_back(tagged_split(files[i].first, *files[i].second, sentences[i], kept,
                                       options.max_length, making.layout));
  }
  return task;
}

constexpr std::array tagged_rules{TaskRule{
    "`tagged_text` has a `task.train_columns` and a `task.validation_columns`.",
    [](const TaskOptions& task) {
      const auto& options = task.as<TaggedTextOptions>();
      const bool train = !options.train_columns.empty();
      return violation_if(!train || options.validation_columns.empty(),
                          {train ? "task.validation_columns" : "task.train_columns", "task.name"},
                          "tagged_text needs a file to train on and one for validation");
    }}};

}  // namespace

extern constinit const TaskKind tagged_text_task{
    .name = "tagged_text",
    .options = options_of<TaggedTextOptions>,
    .rules = tagged_rules,
    .longest = longest_of<TaggedTextOptions>,
    .splits =
        [](const TaskOptions& task) {
          return usual_splits(!task.as<TaggedTextOptions>().test_columns.empty());
        },
    .shrink =
        [](TaskOptions& task, const Shrinking& shrinking) {
          shrinking.at_most("task.vocabulary", task.as<TaggedTextOptions>().vocabulary,
                            Shrinking::most_symbols);
        },
    .files = column_files,
    .examples = ExampleKind::tags,
    .make = make_tagged_text};

}  // namespace tapehead
