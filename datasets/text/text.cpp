// The task text: a language model of running text. Each example is a window of the text.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/corpus/token_files.hpp"
#include "datasets/corpus/windows.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/task_making.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/text/text_rules.hpp"
#include "datasets/text/text_tokenizer.hpp"
#include "datasets/text/token_writing.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> text_files{"train_text", "validation_text", "test_text"};

std::vector<std::string> text_splits(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  std::vector<std::string> names{"train", "validation"};
  if (!options.test_text.empty() || options.test_share > 0) {
    names.emplace_back("test");
  }
  return names;
}

const std::string& path_of(const TextOptions& options, std::string_view split) {
  const std::string& own = split == "test"         ? options.test_text
                           : split == "validation" ? options.validation_text
                                                   : options.train_text;
  return own.empty() ? options.train_text : own;
}

// From which byte on a split has the training text, if it has no file of its own.
double begin_of(const TextOptions& options, std::string_view split) {
  const double test = options.test_text.empty() ? 1 - options.test_share : 1;
  const double validation =
      options.validation_text.empty() ? test - options.validation_share : test;
  return split == "train" ? 0 : split == "validation" ? validation : test;
}

bool has_own_files(const TextOptions& options, std::string_view split) {
  return (split == "test" && !options.test_text.empty()) ||
         (split == "validation" && !options.validation_text.empty());
}

TextShare share_of(const TextOptions& options, std::string_view split, const DocumentFiles& all) {
  const std::string_view next = split == "train" ? "validation" : "test";
  const bool to_the_end = split == "test" || begin_of(options, next) >= 1;
  if (split == "train" && to_the_end) {
    return {};
  }
  const auto bytes = static_cast<double>(bytes_in(all));
  TextShare share{.from = static_cast<Index>(bytes * begin_of(options, split))};
  if (!to_the_end) {
    share.to = static_cast<Index>(bytes * begin_of(options, next));
  }
  return share;
}

// The text is read several times.
void expect_files(const std::vector<fs::path>& paths, const std::string& option,
                  const std::string& pattern) {
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      const std::string place = path.is_absolute() ? "" : " in " + fs::current_path().string();
      throw IoError(fmt::format("{}: there is no file {}{}", option, pattern, place));
    }
    if (!fs::is_regular_file(path, ignored)) {
      throw IoError(fmt::format("{}: cannot read {}: it is not a file", option, path.string()));
    }
  }
}

DocumentFiles documents_of(const TextOptions& options, std::string_view split) {
  const std::string& pattern = path_of(options, split);
  DocumentFiles files{.paths = matching_files(pattern),
                      .name = pattern,
                      .split = std::string(split),
                      .end = options.documents,
                      .separator = options.separator};
  const bool own = has_own_files(options, split);
  expect_files(files.paths, fmt::format("task.{}_text", own ? split : "train"), pattern);
  if (!own) {
    files.share = share_of(options, split, files);
  }
  return files;
}

// The text of a split: as the run keeps it or, if it does not, from its file. The tokens of a new
// text are in a file without a name, since there is no run yet.
std::shared_ptr<const TokenText> token_text(const TextOptions& options, std::string_view split,
                                            const Tokenizer& tokenizer, const fs::path& run) {
  if (!run.empty() && has_token_files(run)) {
    return std::make_shared<const TokenText>(token_file(run, split));
  }
  static std::atomic<int> count = 0;
  const fs::path file =
      fs::temp_directory_path() / fmt::format("tapehead-{}-{}.tokens", ::getpid(), count++);
  write_tokens(documents_of(options, split), tokenizer, file);
  auto text = std::make_shared<const TokenText>(file);
  std::error_code ignored;
  fs::remove(file, ignored);
  return text;
}

void expect_fills_context(const TextOptions& options, const TokenText& text) {
  if (text.size() < options.context && (options.stream || text.documents() == 1)) {
    throw DataError(fmt::format("{}: the train split has {} tokens, fewer than task.context ({})",
                                options.train_text, text.size(), options.context));
  }
}

Task make_text(const TaskOptions& task_options, std::uint64_t seed, const fs::path& run) {
  const auto& options = task_options.as<TextOptions>();
  const Tokenizers kept = kept_tokenizers(run, [&] {
    const auto one = make_text_tokenizer(documents_of(options, "train"), options);
    return Tokenizers{.source = one, .target = one};
  });
  Task task;
  task.source_tokenizer = task.target_tokenizer = kept.source;
  const Windowing windowing{.context = options.context, .stream = options.stream};
  for (const std::string& name : text_splits(task_options)) {
    const auto text = token_text(options, name, *kept.source, run);
    Split& split = task.splits.emplace_back();
    split.name = name;
    split.unknown_source = text->counts().unknown;
    split.windows = {.text = text, .windowing = windowing};
    split.windows.list = name == "train" ? training_windows(*text, windowing, seed, 0)
                                         : evaluation_windows(*text, windowing, options.context);
  }
  expect_fills_context(options, *task.splits.front().windows.text);
  task.draw_training_split = [text = task.splits.front().windows.text, windowing,
                              seed](Index epoch) {
    auto drawn = std::make_shared<Split>();
    drawn->name = "train";
    drawn->windows = {.text = text,
                      .windowing = windowing,
                      .list = training_windows(*text, windowing, seed, epoch)};
    return drawn;
  };
  return task;
}

LongestSide longest_window(const TaskOptions& task) {
  return {.tokens = task.as<TextOptions>().context, .option = "task.context"};
}

// Characters need no training and have a small vocabulary.
void shrink_text(TaskOptions& task, const Shrinking& shrinking) {
  auto& options = task.as<TextOptions>();
  shrinking.at_most("task.context", options.context, Shrinking::most_tokens);
  if (!shrinking.is_set("task.tokenizer") && !shrinking.is_set("task.character_coverage")) {
    options.tokenizer = TokenizerKind::character;
    options.character_coverage = TextOptions().character_coverage;
    shrinking.at_most("task.vocabulary", options.vocabulary, Shrinking::most_symbols);
  }
}

void add_windows(const TaskOptions& task, Hash& hash) {
  const auto& options = task.as<TextOptions>();
  hash.add(static_cast<std::uint64_t>(options.context)).add(options.stream ? 1ULL : 0ULL);
}

}  // namespace

extern constinit const TaskKind text_task{.name = "text",
                                          .options = options_of<TextOptions>,
                                          .rules = text_rules,
                                          .longest = longest_window,
                                          .splits = text_splits,
                                          .shrink = shrink_text,
                                          .files = text_files,
                                          .of_text = true,
                                          .add_draws = add_windows,
                                          .make = make_text};

}  // namespace tapehead
