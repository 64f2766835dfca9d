// The task parallel_text: a corpus of aligned lines, with its tokenizers and splits.

#include <spdlog/spdlog.h>

#include "datasets/make_task.hpp"
#include "datasets/pairs.hpp"
#include "datasets/text/parallel_options.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

namespace {

constexpr std::array<std::string_view, 5> tokenizer_options{
    "task.tokenizer", "task.normalization", "task.character_coverage", "task.subword_dropout",
    "task.lower_case"};

Examples encoded(const AlignedText& text, const Tokenizers& tokenizers) {
  Examples pairs(text.source.size());
  for_lines_in_parallel(text.source.size(), [&](std::size_t i) {
    pairs[i] = {.source = tokenizers.source->encode(text.source[i]),
                .target = tokenizers.target->encode(text.target[i])};
  });
  return pairs;
}

void count_unknown(const AlignedText& text, const Tokenizers& tokenizers, std::size_t i,
                   const Example& pair, Split& split) {
  split.unknown_source.see(*tokenizers.source, text.source[i], pair.source, text.numbers[i]);
  split.unknown_target.see(*tokenizers.target, text.target[i], pair.target, text.numbers[i]);
}

// Reads training references again. Training does not need them, and they take more memory than
// tokens. `kept`: for each pair of the files, whether it is in the split.
std::vector<std::string> kept_targets(const SplitFiles& files, const std::vector<bool>& kept) {
  std::vector<std::string> targets = read_split(files).text.target;
  if (targets.size() != kept.size()) {
    throw DataError("{} had {} lines when it was read first, and now has {}", files.target_file(),
                    kept.size(), targets.size());
  }
  std::vector<std::string> references;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (kept[i]) {
      references.push_back(std::move(targets[i]));
    }
  }
  return references;
}

// Leaves out pairs with a side that is empty or longer than task.max_length. With subword dropout
// the split keeps the texts of its sources.
std::shared_ptr<const Examples> train_pairs(const SplitText& from, const Tokenizers& tokenizers,
                                            const ParallelTextOptions& options, Split& split) {
  Examples all = encoded(from.text, tokenizers);
  Index too_long = 0;
  Index empty = 0;
  Examples kept;
  std::vector<bool> is_kept(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& [source, target] = all[i];
    if (static_cast<Index>(std::max(source.size(), target.size())) > options.max_length) {
      ++too_long;
    } else if (source.empty() || target.empty()) {
      ++empty;
    } else {
      count_unknown(from.text, tokenizers, i, all[i], split);
      kept.push_back({.source = std::move(source), .target = std::move(target)});
      is_kept[i] = true;
      if (options.subword_dropout > 0) {
        split.source_texts.push_back(from.text.source[i]);
      }
    }
  }
  split.read_references = [files = from.files, is_kept] { return kept_targets(files, is_kept); };
  split.dropped = too_long + empty;
  if (kept.empty()) {
    throw no_training_pairs(options, split.dropped);
  }
  if (split.dropped > 0) {
    spdlog::info("{} of {} training pairs dropped: {} longer than {} tokens, {} with an empty side",
                 split.dropped, all.size(), too_long, options.max_length, empty);
  }
  return std::make_shared<const Examples>(std::move(kept));
}

Split held_out_split(SplitText from, const Tokenizers& tokenizers, const Layout& layout) {
  Split split{.name = from.files.name};
  const auto pairs = std::make_shared<const Examples>(encoded(from.text, tokenizers));
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    count_unknown(from.text, tokenizers, i, (*pairs)[i], split);
  }
  split.source = pair_source(pairs, layout, {}, split.name);
  keep_texts(std::move(from), split);
  return split;
}

// Training pairs whose sources are tokenized anew in each epoch, with subword dropout. A source
// that would become longer than task.max_length keeps its usual tokens.
struct SourceCuts {
  std::shared_ptr<const Examples> pairs;
  std::vector<std::string> texts;  // of sources; `spelled` from the first epoch on
  std::shared_ptr<const SentencePieceTokenizer> tokenizer;
  ParallelTextOptions options;
  TaskMaking making;
  Index drawn_epoch = -1;
  std::shared_ptr<const Source> drawn{};

  // Depends only on the seed and the epoch. Caches the last result, so call it from one thread
  // only. Spells the texts at the first call, so commands that do not train need not do so.
  std::shared_ptr<const Source> of_epoch(Index epoch) {
    if (drawn_epoch < 0) {
      for_lines_in_parallel(texts.size(),
                            [&](std::size_t i) { texts[i] = tokenizer->spelled(texts[i]); });
    }
    if (drawn_epoch != epoch) {
      Examples examples = *pairs;
      for_lines_in_parallel(examples.size(), [&](std::size_t i) {
        const Draws draws(making.seed, fmt::format("subword_dropout/{}", i), epoch);
        std::vector<TokenId> source = tokenizer->cut(texts[i], options.subword_dropout, draws);
        if (std::ssize(source) <= options.max_length) {
          examples[i].source = std::move(source);
        }
      });
      drawn = pair_source(std::move(examples), making.layout);
      drawn_epoch = epoch;
    }
    return drawn;
  }
};

std::vector<std::string> splits(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  std::vector<std::string> names = usual_splits(text.has_test());
  names.insert(names.end(), text.further_tests.begin(), text.further_tests.end());
  return names;
}

// Characters need no training and have a small vocabulary, but give longer lines.
void shrink(TaskOptions& task, const Shrinking& shrinking) {
  auto& text = task.as<ParallelTextOptions>();
  if (std::ranges::any_of(tokenizer_options, shrinking.is_set) ||
      text.tokenizer == TokenizerKind::character) {
    return;
  }
  const ParallelTextOptions defaults;
  text.tokenizer = TokenizerKind::character;
  text.normalization = defaults.normalization;
  text.character_coverage = defaults.character_coverage;
  text.subword_dropout = defaults.subword_dropout;
  text.lower_case = defaults.lower_case;
  shrinking.at_most("task.vocabulary", text.vocabulary, Shrinking::most_symbols);
  if (!shrinking.is_set("task.max_length")) {
    text.max_length = std::max(text.max_length, shrinking.most_characters);
  }
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto& text = options.as<ParallelTextOptions>();
  // Reads everything first, so that a fault in a file is found before the tokenizer is trained.
  std::vector<SplitText> read = mapped(split_files(text), read_split);
  const SplitText& training = read.front();
  const Tokenizers kept = kept_tokenizers(
      making.tokenizers, [&] { return make_parallel_tokenizers(training.text, text); });
  Task task{.source_tokenizer = kept.source, .target_tokenizer = kept.target};
  Split& first = task.splits.emplace_back();
  first.name = training.files.name;
  const auto pairs = train_pairs(training, kept, text, first);
  first.source = pair_source(pairs, making.layout, {}, first.name);
  if (text.subword_dropout > 0) {
    const auto pieces = std::dynamic_pointer_cast<const SentencePieceTokenizer>(kept.source);
    if (!pieces) {
      throw IoError("{} contains a tokenizer without merges: task.subword_dropout needs bpe",
                    making.tokenizers.string());
    }
    const auto cuts = std::make_shared<SourceCuts>(
        SourceCuts{pairs, std::exchange(first.source_texts, {}), pieces, text, making});
    task.draw_training = [cuts](Index epoch) { return cuts->of_epoch(epoch); };
  }
  for (SplitText& split : read | std::views::drop(1)) {
    task.splits.push_back(held_out_split(std::move(split), kept, making.layout));
  }
  task.type_groups = type_groups(text.type_groups, task.splits);
  return task;
}

}  // namespace

extern constinit const TaskKind parallel_text_task{
    .name = "parallel_text",
    .options = options_of<ParallelTextOptions>,
    .rules = parallel_text_rules,
    .longest = longest_of<ParallelTextOptions>,
    .splits = splits,
    .shrink = shrink,
    .add_draws =
        [](const TaskOptions& options, Hash& hash) {
          const auto& text = options.as<ParallelTextOptions>();
          if (text.subword_dropout > 0) {
            hash.add(std::bit_cast<std::uint64_t>(text.subword_dropout));
            hash.add(static_cast<std::uint64_t>(text.max_length));
          }
        },
    .make = make};

}  // namespace tapehead
