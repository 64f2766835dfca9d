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

// Tokens and their labels, separated by spaces.
struct TaggedSentence {
  std::string tokens;
  std::string labels;
  Index line = 0;  // of its first token, from 1
};

using Sentences = std::vector<TaggedSentence>;

void append_word(std::string& text, std::string_view word) {
  text += text.empty() ? "" : " ";
  text += word;
}

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
      throw DataError(
          fmt::format("{}:{}: {} column{}, where {} are expected: a token first, its label last",
                      file, number, words.size(), words.size() == 1 ? "" : "s",
                      columns < 2 ? "two or more" : std::to_string(columns)));
    }
    open.line = open.tokens.empty() ? number : open.line;
    append_word(open.tokens, words.front());
    append_word(open.labels, words.back());
  }
  close();
  if (sentences.empty()) {
    throw DataError(fmt::format("{}: there is no sentence in the file", file));
  }
  return sentences;
}

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

void expect_known(const std::vector<TokenId>& labels, const TaggedSentence& sentence,
                  const std::string& file) {
  const auto unknown = std::ranges::find(labels, unknown_id) - labels.begin();
  if (unknown < std::ssize(labels)) {
    throw DataError(fmt::format(
        "{}:{}: the label `{}` is not in the training data, so it cannot be learned", file,
        sentence.line + unknown,
        shown(units_of(sentence.labels, Unit::word)[static_cast<std::size_t>(unknown)])));
  }
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
    expect_known(example.target, sentence, file);
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
    throw DataError(fmt::format("{}: all sentences are longer than task.max_length ({} tokens)",
                                file, max_length));
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
    task.splits.push_back(tagged_split(files[i].split, files[i].path, sentences[i], kept,
                                       options.max_length, making.layout));
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
  return usual_splits(!task.as<TaggedTextOptions>().test_columns.empty());
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
