// The task tagged_text: sentences, with a label for each of their tokens.

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
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
  bool has_test() const { return !test_columns.empty(); }

  void fields(const auto& row) {
    row(train_columns, file_named("train_columns"),
        "file to train on (CoNLL): on each line a token first and its label last, with an empty "
        "line between sentences");
    row(validation_columns, file_named("validation_columns"), "file for validation");
    row(test_columns, file_named("test_columns"), "file for the final test; empty: no test split");
    row(vocabulary, named("vocabulary", 4, 1e6),
        "upper limit of entries, including the three marks; the most frequent tokens are kept");
    row(max_length, named("max_length", 1, 100000, "tokens"),
        "longer training sentences are dropped, and counted");
  }
};

// Reads sentences: their tokens and labels, separated by spaces, and the lines of their first
// tokens. Each line is a token: its first column is the token, its last column the label. Spaces or
// tabs separate columns, and empty lines separate sentences. Sentences with only the token
// -DOCSTART- begin documents (Tjong Kim Sang and De Meulder 2003) and are left out.
AlignedText read_tagged(const std::string& file) {
  AlignedText sentences;
  std::string tokens;  // of the sentence that is read
  std::string labels;
  Index begin = 0;  // the line of its first token
  const auto close = [&] {
    if (!tokens.empty() && tokens != "-DOCSTART-") {
      sentences.source.push_back(tokens);
      sentences.target.push_back(labels);
      sentences.numbers.push_back(begin);
    }
    tokens.clear();
    labels.clear();
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
    const bool first = tokens.empty();
    begin = first ? number : begin;
    tokens.append(first ? "" : " ").append(words.front());
    labels.append(first ? "" : " ").append(words.back());
  }
  close();
  if (sentences.source.empty()) {
    throw DataError("{}: there is no sentence in the file", file);
  }
  return sentences;
}

Tokenizers tagged_tokenizers(const AlignedText& train, Index limit) {
  constexpr Index all = 1'000'000;
  return {
      .source =
          tokenizer_of_lines({.kind = TokenizerKind::word, .vocabulary = limit}, train.source),
      .target = tokenizer_of_lines({.kind = TokenizerKind::word, .vocabulary = all}, train.target)};
}

// In the train split, leaves out sentences that are too long, and keeps tokens without their text.
Split tagged_split(SplitText from, const Tokenizers& tokenizers, Index max_length,
                   const Layout& layout) {
  const std::string& file = from.files.source;
  const auto& [tokens, labels, numbers] = from.text;
  Split split{.name = from.files.name};
  const bool train = split.name == "train";
  Examples pairs;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Example example{.source = tokenizers.source->encode(tokens[i]),
                    .target = tokenizers.target->encode(labels[i])};
    const auto unknown = std::ranges::find(example.target, unknown_id) - example.target.begin();
    if (unknown < std::ssize(example.target)) {
      throw DataError("{}:{}: the label `{}` is not in the training data, so it cannot be learned",
                      file, numbers[i] + unknown,
                      shown(units_of(labels[i], Unit::word)[static_cast<std::size_t>(unknown)]));
    }
    split.unknown_source.see(*tokenizers.source, tokens[i], example.source, numbers[i]);
    if (train && std::ssize(example.source) > max_length) {
      ++split.dropped;
      continue;
    }
    pairs.push_back(std::move(example));
  }
  if (pairs.empty()) {
    throw DataError("{}: all sentences are longer than task.max_length ({} tokens)", file,
                    max_length);
  }
  if (split.dropped > 0) {
    spdlog::info("{} of {} training sentences dropped: longer than {} tokens", split.dropped,
                 tokens.size(), max_length);
  }
  split.source =
      pair_source(std::make_shared<const Examples>(std::move(pairs)), layout, {}, split.name);
  if (!train) {
    keep_texts(std::move(from), split);
  }
  return split;
}

Task make_tagged_text(const TaskOptions& task_options, const TaskMaking& making) {
  const auto& options = task_options.as<TaggedTextOptions>();
  std::vector<SplitText> read;
  for (const auto& [split, path] : {std::pair{"train", &options.train_columns},
                                    std::pair{"validation", &options.validation_columns},
                                    std::pair{"test", &options.test_columns}}) {
    if (!path->empty()) {
      expect_file(*path, fmt::format("task.{}_columns", split));
      SplitText& text = read.emplace_back();
      text.files = {.name = split, .source = *path, .target = *path};
      text.text = read_tagged(*path);
    }
  }
  const Tokenizers kept = kept_tokenizers(
      making.tokenizers, [&] { return tagged_tokenizers(read.front().text, options.vocabulary); });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  for (SplitText& split : read) {
    task.splits.push_back(tagged_split(std::move(split), kept, options.max_length, making.layout));
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
    .splits = splits_of<TaggedTextOptions>,
    .shrink =
        [](TaskOptions& task, const Shrinking& shrinking) {
          shrinking.at_most("task.vocabulary", task.as<TaggedTextOptions>().vocabulary,
                            Shrinking::most_symbols);
        },
    .examples = ExampleKind::tags,
    .make = make_tagged_text};

}  // namespace tapehead
