// The task text: a language model of running text. Each example is a window of the text.

#include "datasets/make_task.hpp"
#include "datasets/text/text_options.hpp"

namespace tapehead {

namespace {

// The tokens of a split: from the run, if it keeps them, otherwise from the text files. Throws
// IoError if a file of tokens has an id that the tokenizer does not have.
std::shared_ptr<const TokenText> token_text(const TextOptions& options, std::string_view split,
                                            std::optional<double>& bytes,
                                            const Tokenizer& tokenizer, const fs::path& run) {
  const fs::path file = run.empty() ? fs::path() : token_file(run, split);
  if (run.empty() || !fs::exists(status_of(file))) {
    return std::make_shared<const TokenText>(
        write_tokens(files_of_split(options, split, bytes), tokenizer));
  }
  auto text = std::make_shared<const TokenText>(file);
  for (Index i = 0; i < text->size(); ++i) {
    const TokenId token = (*text)[i];
    if (token < 0 || token >= tokenizer.size()) {
      throw IoError("{}: token {} has the id {}, but the run's vocabulary has {} entries",
                    file.string(), i + 1, token, tokenizer.size());
    }
  }
  return text;
}

void expect_fits(const TextOptions& options, const std::vector<Split>& splits) {
  const TokenText& text = *splits.front().text.tokens;
  const auto is_one_document = [](const Split& split) {
    return split.text.tokens->documents() == 1;
  };
  if (options.stream && std::ranges::all_of(splits, is_one_document)) {
    throw ConfigError("task.stream: true has no effect: {} is a single document",
                      options.train_text);
  }
  if (text.size() < options.context && (options.stream || text.documents() == 1)) {
    throw DataError("{}: the train split has {} tokens, fewer than task.context ({})",
                    options.train_text, text.size(), options.context);
  }
}

Masking masking_of(const TextOptions& options, const Tokenizer& tokenizer, const std::string& split,
                   std::uint64_t seed, Index epoch) {
  const std::vector<TokenId> end_of_line = tokenizer.encode(line_end);
  const auto entries = numbers_below(static_cast<TokenId>(tokenizer.size()));
  const auto begins = [&](TokenId id) { return begins_word(tokenizer, id); };
  return {.share = options.mask_share,
          .mask = mask_id(tokenizer),
          .words = options.mask_words
                       ? std::make_shared<const std::vector<bool>>(mapped(entries, begins))
                       : nullptr,
          .line_end = end_of_line.size() == 1 ? end_of_line.front() : unknown_id,
          .draws = Draws(seed, "masking/" + split, epoch)};
}

Task make_text(const TaskOptions& task_options, const TaskMaking& making) {
  const auto& options = task_options.as<TextOptions>();
  std::optional<double> bytes;  // of the training text
  const Tokenizers kept = kept_tokenizers(making.tokenizers, [&] {
    const auto one = make_text_tokenizer(files_of_split(options, "train", bytes), options);
    return Tokenizers{.source = one, .target = one};
  });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.source};
  // The sequences of a split's windows, for the layout of the model.
  const auto sequences = [=](const std::string& split, const RunningText& text,
                             const WindowList& windows, Index epoch) {
    return making.layout.source_alone()
               ? masked_source(text.tokens, windows,
                               masking_of(options, *kept.source, split, making.seed, epoch))
               : window_source(text.tokens, windows);
  };
  const Index context = making.context > 0 ? making.context : options.context;
  for (const std::string& name : usual_splits(options.has_test())) {
    const auto tokens = token_text(options, name, bytes, *kept.source, making.tokenizers);
    const RunningText text{
        .tokens = tokens,
        .windowing = {
            .context = context, .stream = options.stream, .begin_mark = options.begin_mark}};
    const WindowList windows =
        evaluation_windows(*tokens, text.windowing, making.stride > 0 ? making.stride : context);
    task.splits.push_back({.name = name,
                           .source = sequences(name, text, windows, 0),
                           .text = text,
                           .unknown_source = tokens->counts().unknown});
  }
  expect_fits(options, task.splits);
  task.draw_training = [sequences, text = task.splits.front().text,
                        seed = making.seed](Index epoch) {
    return sequences("train", text, training_windows(*text.tokens, text.windowing, seed, epoch),
                     epoch);
  };
  return task;
}

std::optional<Violation> text_is_given(const TaskOptions& task) {
  return violation_if(task.as<TextOptions>().train_text.empty(), {"task.train_text", "task.name"},
                      "text needs a file to train on");
}

std::optional<Violation> shares_leave_text(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  const bool shared = options.validation_text.empty();
  const double held_out = (shared ? options.validation_share : 0) + options.test_share;
  return first_violation(
      {violation_if(shared && options.validation_share == 0,
                    {"task.validation_share", "task.validation_text"},
                    "text needs a validation split: a share of the training text, or a file"),
       violation_if(held_out >= 1, {"task.validation_share", "task.test_share"},
                    "nothing is left to train on (the shares of validation and test add up to {})",
                    held_out)});
}

std::optional<Violation> separator_separates(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  return violation_if(options.documents == DocumentEnd::separator && options.separator.empty(),
                      {"task.separator", "task.documents"},
                      "task.documents: separator needs the line that separates documents");
}

constexpr std::array text_rules{
    TaskRule{"`text` has a `task.train_text`.", text_is_given},
    TaskRule{"`text` has a `task.validation_share` or a `task.validation_text`. Both shares "
             "together are less than 1.",
             shares_leave_text},
    TaskRule{"`task.documents: separator` needs a `task.separator`.", separator_separates},
    entries_hold_bytes_rule<TextOptions>};

// Characters need no training and have a small vocabulary.
void shrink_text(TaskOptions& task, const Shrinking& shrinking) {
  auto& options = task.as<TextOptions>();
  shrinking.at_most("task.context", options.context, Shrinking::most_tokens);
  if (options.tokenizer_of.empty() && !shrinking.is_set("task.tokenizer") &&
      !shrinking.is_set("task.character_coverage") && !shrinking.is_set("task.lower_case")) {
    options.tokenizer = TokenizerKind::character;
    options.character_coverage = TextOptions().character_coverage;
    options.lower_case = TextOptions().lower_case;
    shrinking.at_most("task.vocabulary", options.vocabulary, Shrinking::most_symbols);
  }
}

// Adds the options that decide the windows of an epoch or the tokens that a run keeps.
void add_text_options(const TaskOptions& task, Hash& hash) {
  const auto& options = task.as<TextOptions>();
  hash.add(options.train_text).add(options.validation_text);
  hash.add(options.test_text).add(options.separator);
  for (const double number :
       {options.validation_share, options.test_share, options.character_coverage}) {
    hash.add(std::bit_cast<std::uint64_t>(number));
  }
  for (const Index number :
       {options.context, options.vocabulary, static_cast<Index>(options.documents),
        static_cast<Index>(options.tokenizer), static_cast<Index>(options.stream ? 1 : 0)}) {
    hash.add(static_cast<std::uint64_t>(number));
  }
  if (!options.tokenizer_of.empty()) {
    hash.add(options.tokenizer_of);
  }
  if (options.lower_case) {
    hash.add(std::uint64_t{1});
  }
  if (!options.begin_mark) {
    hash.add("no begin mark");
  }
  const TextOptions defaults;
  if (options.mask_share != defaults.mask_share || options.mask_words) {
    hash.add(std::bit_cast<std::uint64_t>(options.mask_share));
    hash.add(static_cast<std::uint64_t>(options.mask_words ? 1 : 0));
  }
}

}  // namespace

extern constinit const TaskKind text_task{.name = "text",
                                          .options = options_of<TextOptions>,
                                          .rules = text_rules,
                                          .longest = longest_of<TextOptions>,
                                          .splits = splits_of<TextOptions>,
                                          .shrink = shrink_text,
                                          .examples = ExampleKind::text,
                                          .kept_as_tokens = true,
                                          .add_draws = add_text_options,
                                          .make = make_text};

}  // namespace tapehead
