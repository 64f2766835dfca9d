// The task labelled_text: texts, each of one class.

#include <spdlog/spdlog.h>

#include "core/random/draws.hpp"
#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

std::shared_ptr<const Tokenizer> class_tokenizer(const LabelledSplit& train) {
  const std::set<std::string> classes(train.lines.labels.begin(), train.lines.labels.end());
  if (classes.size() < 2) {
    throw DataError(
        fmt::format("{}: all {} training examples have the class `{}`; a classifier "
                    "needs two classes or more",
                    train.files.label_file(), train.numbers.size(), shown(*classes.begin())));
  }
  return std::make_shared<ClassTokenizer>(std::vector<std::string>(classes.begin(), classes.end()));
}

std::shared_ptr<const Tokenizer> text_tokenizer(const LabelledSplit& train,
                                                const LabelledTextOptions& options) {
  std::vector<std::string> texts;
  for (const std::string& line : train.lines.texts) {
    for (std::string& text : texts_of(line, options.texts)) {
      texts.push_back(std::move(text));
    }
  }
  try {
    return tokenizer_of_lines({.kind = options.tokenizer,
                               .vocabulary = options.vocabulary,
                               .normalization = options.normalization,
                               .character_coverage = options.character_coverage},
                              texts, options.lower_case);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", train.files.text_file(), error.what()));
  }
}

// Classes are in byte order. Throws DataError with the file if all examples have the same class or
// a tokenizer cannot be made, and IoError if `tokenizer_of` is not a run.
Tokenizers make_labelled_tokenizers(const LabelledSplit& train,
                                    const LabelledTextOptions& options) {
  const auto classes = class_tokenizer(train);
  return {.source = options.tokenizer_of.empty() ? text_tokenizer(train, options)
                                                 : tokenizer_of_run(options.tokenizer_of),
          .target = classes};
}

constexpr std::array<std::string_view, 9> labelled_files{
    "train_tsv",       "validation_tsv",    "test_tsv",  "train_text", "train_labels",
    "validation_text", "validation_labels", "test_text", "test_labels"};

TokenId class_on(const LabelledSplit& from, std::size_t i, const Tokenizer& classes) {
  const std::vector<TokenId> number = classes.encode(from.lines.labels[i]);
  if (number.empty()) {
    throw DataError(fmt::format(
        "{}:{}: the class `{}` is on no line of the training examples, so it cannot be learned",
        from.files.label_file(), from.numbers[i], shown(from.lines.labels[i])));
  }
  return number.front();
}

std::vector<ClassifiedText> encoded(const LabelledSplit& from, const Tokenizers& tokenizers,
                                    const LabelledTextOptions& options, UnknownText& unknown) {
  std::vector<ClassifiedText> texts;
  Index cut = 0;
  for (std::size_t i = 0; i < from.numbers.size(); ++i) {
    ClassifiedText text =
        classified_text(*tokenizers.source, from.lines.texts[i], options.texts, options.max_length);
    cut += text.cut ? 1 : 0;
    text.label = class_on(from, i, *tokenizers.target);
    unknown.see(*tokenizers.source, from.lines.texts[i], text.tokens, from.numbers[i]);
    texts.push_back(std::move(text));
  }
  if (cut > 0) {
    spdlog::info("{} split: {} of {} texts cut to task.max_length ({} tokens)", from.files.split,
                 cut, texts.size(), options.max_length);
  }
  return texts;
}

Split held_out(LabelledSplit from, const Tokenizers& tokenizers, const LabelledTextOptions& options,
               const Layout& layout) {
  Split split{.name = from.files.split};
  split.source = class_source(encoded(from, tokenizers, options, split.unknown_source), layout);
  split.source_texts = std::move(from.lines.texts);
  split.references = std::move(from.lines.labels);
  if (from.whole) {
    split.source_file = from.files.text_file();
    split.target_file = from.files.label_file();
    split.lines = std::move(from.numbers);
  }
  return split;
}

// Makes each token, except the mark between two texts, unknown with this probability.
std::vector<ClassifiedText> with_dropped_tokens(std::vector<ClassifiedText> texts,
                                                double probability, const Draws& draws) {
  std::uint64_t number = 0;
  for (ClassifiedText& text : texts) {
    for (Index i = 0; i < std::ssize(text.tokens); ++i) {
      const bool dropped = draw_uniform(draws, number++) < probability;
      if (dropped && i != text.first_text) {
        text.tokens[static_cast<std::size_t>(i)] = unknown_id;
      }
    }
  }
  return texts;
}

Task make_labelled_text(const TaskOptions& task_options, const TaskMaking& making) {
  const auto& options = task_options.as<LabelledTextOptions>();
  std::vector<LabelledSplit> splits = labelled_splits(options, making.seed);
  const Tokenizers kept = kept_tokenizers(
      making.tokenizers, [&] { return make_labelled_tokenizers(splits.front(), options); });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  Split& train = task.splits.emplace_back();
  train.name = splits.front().files.split;
  std::vector<ClassifiedText> texts = encoded(splits.front(), kept, options, train.unknown_source);
  if (options.token_dropout > 0) {
    task.draw_training = [texts, making, probability = options.token_dropout](Index epoch) {
      return class_source(with_dropped_tokens(texts, probability,
                                              Draws(making.seed, "labelled_text/dropout", epoch)),
                          making.layout);
    };
  }
  train.source = class_source(std::move(texts), making.layout);
  for (std::size_t i = 1; i < splits.size(); ++i) {
    task.splits.push_back(held_out(std::move(splits[i]), kept, options, making.layout));
  }
  return task;
}

std::optional<Violation> given_twice_or_half(const LabelledFiles& files) {
  const auto option = [&](std::string_view of) {
    return fmt::format("task.{}_{}", files.split, of);
  };
  if (!files.tsv.empty() && !(files.text.empty() && files.labels.empty())) {
    return Violation{{option("tsv"), option("text"), option("labels")},
                     fmt::format("the {} examples are given twice, as a TSV and as two files; keep "
                                 "one",
                                 files.split)};
  }
  if (files.text.empty() == files.labels.empty()) {
    return {};
  }
  const bool no_text = files.text.empty();
  return Violation{{option(no_text ? "labels" : "text")},
                   fmt::format("given alone; the {} examples need {} too", files.split,
                               option(no_text ? "text" : "labels"))};
}

std::optional<Violation> labelled_text_is_given(const TaskOptions& task) {
  const auto& options = task.as<LabelledTextOptions>();
  for (const LabelledFiles& files : files_of(options)) {
    if (auto violation = given_twice_or_half(files)) {
      return violation;
    }
  }
  if (!options.train_tsv.empty() || !options.train_text.empty()) {
    return header_without_tsv(options);
  }
  return Violation{{"task.train_tsv", "task.name"},
                   "labelled_text needs examples to train on: task.train_tsv, or task.train_text "
                   "and task.train_labels"};
}

constexpr std::array labelled_rules{
    TaskRule{"`labelled_text` has a training text, as a TSV or as two files; likewise for "
             "validation and test, if they are given. `task.header` is for TSVs.",
             labelled_text_is_given},
    entries_hold_bytes_rule<LabelledTextOptions>};

std::vector<std::string> labelled_split_names(const TaskOptions& task) {
  const auto& options = task.as<LabelledTextOptions>();
  return usual_splits(!options.test_tsv.empty() || !options.test_text.empty());
}

LongestSide longest_labelled_text(const TaskOptions& task) {
  const auto& options = task.as<LabelledTextOptions>();
  return {.tokens = options.max_length + options.texts - 1};
}

void shrink_labelled_text(TaskOptions& task, const Shrinking& shrinking) {
  auto& options = task.as<LabelledTextOptions>();
  shrinking.at_most("task.max_length", options.max_length, Shrinking::most_tokens);
  if (options.tokenizer == TokenizerKind::word && options.tokenizer_of.empty()) {
    shrinking.at_most("task.vocabulary", options.vocabulary, Shrinking::most_symbols);
  }
}

void add_token_dropout(const TaskOptions& task, Hash& hash) {
  const auto& options = task.as<LabelledTextOptions>();
  hash.add(std::bit_cast<std::uint64_t>(options.token_dropout));
}

}  // namespace

extern constinit const TaskKind labelled_text_task{.name = "labelled_text",
                                                   .options = options_of<LabelledTextOptions>,
                                                   .rules = labelled_rules,
                                                   .longest = longest_labelled_text,
                                                   .splits = labelled_split_names,
                                                   .shrink = shrink_labelled_text,
                                                   .files = labelled_files,
                                                   .examples = ExampleKind::labels,
                                                   .add_draws = add_token_dropout,
                                                   .make = make_labelled_text};

}  // namespace tapehead
