// The task labelled_text: texts, each of one class.

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

namespace {

std::shared_ptr<const Tokenizer> text_tokenizer(const SplitText& train,
                                                const LabelledTextOptions& options) {
  std::vector<std::string> texts;
  for (const std::string& line : train.text.source) {
    for (std::string& text : texts_of(line, options.texts)) {
      texts.push_back(std::move(text));
    }
  }
  return tokenizer_of_lines(options.piece_options(train.files.source_file(), options.normalization),
                            texts);
}

// Classes are in byte order. Throws DataError with the file if all examples have the same class or
// a tokenizer cannot be made, and IoError if `tokenizer_of` is not a run.
Tokenizers make_labelled_tokenizers(const SplitText& train, const LabelledTextOptions& options) {
  const std::set<std::string> classes(train.text.target.begin(), train.text.target.end());
  if (classes.size() < 2) {
    throw DataError(
        "{}: all {} training examples have the class `{}`; a classifier needs two classes or more",
        train.files.target_file(), train.text.numbers.size(), shown(*classes.begin()));
  }
  return {.source = options.tokenizer_of.empty() ? text_tokenizer(train, options)
                                                 : tokenizers_of_run(options.tokenizer_of).source,
          .target = std::make_shared<ClassTokenizer>(
              std::vector<std::string>(classes.begin(), classes.end()))};
}

std::vector<ClassifiedText> encoded(const SplitText& from, const Tokenizers& tokenizers,
                                    const LabelledTextOptions& options, UnknownText& unknown) {
  std::vector<ClassifiedText> texts;
  Index cut = 0;
  const auto& [lines, labels, numbers] = from.text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    ClassifiedText text =
        classified_text(*tokenizers.source, line, options.texts, options.max_length);
    cut += text.cut ? 1 : 0;
    const std::vector<TokenId> label = tokenizers.target->encode(labels[i]);
    if (label.empty()) {
      throw DataError(
          "{}:{}: the class `{}` is on no line of the training examples, so it cannot be learned",
          from.files.target_file(), numbers[i], shown(labels[i]));
    }
    text.label = label.front();
    unknown.see(*tokenizers.source, line, text.tokens, numbers[i]);
    texts.push_back(std::move(text));
  }
  if (cut > 0) {
    spdlog::info("{} split: {} of {} texts cut to task.max_length ({} tokens)", from.files.name,
                 cut, texts.size(), options.max_length);
  }
  return texts;
}

Split held_out(SplitText from, const Tokenizers& tokenizers, const LabelledTextOptions& options,
               const Layout& layout) {
  Split split{.name = from.files.name};
  split.source = class_source(encoded(from, tokenizers, options, split.unknown_source), layout);
  keep_texts(std::move(from), split);
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
  std::vector<SplitText> splits = labelled_splits(options, making.seed);
  const Tokenizers kept = kept_tokenizers(
      making.tokenizers, [&] { return make_labelled_tokenizers(splits.front(), options); });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  Split& train = task.splits.emplace_back();
  train.name = splits.front().files.name;
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

std::optional<Violation> labelled_text_is_given(const TaskOptions& task) {
  const auto& options = task.as<LabelledTextOptions>();
  for (const SplitFiles& files : files_of(options)) {
    const std::string twice = fmt::format(
        "the {} examples are given twice, as a TSV and as two files; keep one", files.name);
    if (auto violation = given_twice_or_half(files, {"text", "labels"}, twice,
                                             fmt::format("the {} examples need", files.name))) {
      return violation;
    }
  }
  return first_violation(
      {violation_if(options.train_tsv.empty() && options.train_text.empty(),
                    {"task.train_tsv", "task.name"},
                    "labelled_text needs examples to train on: task.train_tsv, or task.train_text "
                    "and task.train_labels"),
       header_without_tsv(options)});
}

constexpr std::array labelled_rules{
    TaskRule{"`labelled_text` has a training text, as a TSV or as two files; likewise for "
             "validation and test, if they are given. `task.header` is for TSVs.",
             labelled_text_is_given},
    entries_hold_bytes_rule<LabelledTextOptions>};

void shrink_labelled_text(TaskOptions& task, const Shrinking& shrinking) {
  auto& options = task.as<LabelledTextOptions>();
  shrinking.at_most("task.max_length", options.max_length, Shrinking::most_tokens);
  if (options.tokenizer == TokenizerKind::word && options.tokenizer_of.empty()) {
    shrinking.at_most("task.vocabulary", options.vocabulary, Shrinking::most_symbols);
  }
}

}  // namespace

extern constinit const TaskKind labelled_text_task{
    .name = "labelled_text",
    .options = options_of<LabelledTextOptions>,
    .rules = labelled_rules,
    .longest = longest_of<LabelledTextOptions>,
    .splits = splits_of<LabelledTextOptions>,
    .shrink = shrink_labelled_text,
    .examples = ExampleKind::labels,
    .add_draws =
        [](const TaskOptions& task, Hash& hash) {
          hash.add(std::bit_cast<std::uint64_t>(task.as<LabelledTextOptions>().token_dropout));
        },
    .make = make_labelled_text};

}  // namespace tapehead
