// The task labelled_text: texts, each of one class.
#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "core/random/draws.hpp"
#include "core/shown.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/task_making.hpp"
#include "datasets/text/classified_text.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/text/labelled_rules.hpp"
#include "datasets/text/labelled_splits.hpp"
#include "datasets/text/labelled_tokenizer.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 9> labelled_files{
    "train_tsv",       "validation_tsv",    "test_tsv",  "train_text", "train_labels",
    "validation_text", "validation_labels", "test_text", "test_labels"};

std::vector<TokenId> class_on(const LabelledSplit& from, std::size_t i, const Tokenizer& classes) {
  std::vector<TokenId> number = classes.encode(from.lines.labels[i]);
  if (number.empty()) {
    throw DataError(fmt::format(
        "{}:{}: the class `{}` is on no line of the training examples, so it cannot be learned",
        from.files.label_file(), from.numbers[i], shown(from.lines.labels[i])));
  }
  return number;
}

Split encoded(const LabelledSplit& from, const Tokenizers& tokenizers,
              const LabelledTextOptions& options) {
  Split split;
  split.name = from.files.split;
  split.classes = true;
  Index cut = 0;
  for (std::size_t i = 0; i < from.numbers.size(); ++i) {
    ClassifiedText text =
        classified_text(*tokenizers.source, from.lines.texts[i], options.texts, options.max_length);
    cut += text.cut ? 1 : 0;
    split.unknown_source.see(*tokenizers.source, from.lines.texts[i], text.tokens, from.numbers[i]);
    split.examples.push_back(
        {.source = std::move(text.tokens), .target = class_on(from, i, *tokenizers.target)});
  }
  if (cut > 0) {
    spdlog::info("{} split: {} of {} texts cut to task.max_length ({} tokens)", split.name, cut,
                 split.examples.size(), options.max_length);
  }
  return split;
}

Split held_out(LabelledSplit from, const Tokenizers& tokenizers,
               const LabelledTextOptions& options) {
  Split split = encoded(from, tokenizers, options);
  split.source_texts = std::move(from.lines.texts);
  split.references = std::move(from.lines.labels);
  if (from.whole) {
    split.source_file = from.files.text_file();
    split.target_file = from.files.label_file();
    split.lines = std::move(from.numbers);
  }
  return split;
}

// Each token but the mark between two texts is unknown with this probability.
std::shared_ptr<const Split> with_dropped_tokens(const Split& train, double probability,
                                                 const Draws& draws) {
  auto drawn = std::make_shared<Split>(train);
  std::uint64_t number = 0;
  for (Example& example : drawn->examples) {
    for (TokenId& token : example.source) {
      const bool dropped = draw_uniform(draws, number++) < probability;
      token = dropped && token != end_id ? unknown_id : token;
    }
  }
  return drawn;
}

Task make_labelled_text(const TaskOptions& task_options, std::uint64_t seed, const fs::path& run) {
  const auto& options = task_options.as<LabelledTextOptions>();
  std::vector<LabelledSplit> splits = labelled_splits(options, seed);
  const Tokenizers kept =
      kept_tokenizers(run, [&] { return make_labelled_tokenizers(splits.front(), options); });
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  task.splits.push_back(encoded(splits.front(), kept, options));
  for (std::size_t i = 1; i < splits.size(); ++i) {
    task.splits.push_back(held_out(std::move(splits[i]), kept, options));
  }
  if (options.token_dropout > 0) {
    task.draw_training_split = [train = task.splits.front(), seed,
                                probability = options.token_dropout](Index epoch) {
      return with_dropped_tokens(train, probability, Draws(seed, "labelled_text/dropout", epoch));
    };
  }
  return task;
}

std::vector<std::string> labelled_split_names(const TaskOptions& task) {
  const auto& options = task.as<LabelledTextOptions>();
  std::vector<std::string> names{"train", "validation"};
  if (!options.test_tsv.empty() || !options.test_text.empty()) {
    names.emplace_back("test");
  }
  return names;
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
