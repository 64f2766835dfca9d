// The task parallel_text: a corpus of aligned lines, its tokenizers, its splits.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "datasets/aligned_text.hpp"
#include "datasets/sentencepiece_joint.hpp"
#include "datasets/sentencepiece_tokenizer.hpp"
#include "datasets/source_cuts.hpp"
#include "datasets/stretches.hpp"
#include "datasets/tasks.hpp"
#include "datasets/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t many_lines = 20000;  // from here on training pieces takes about a second

struct SplitFiles {
  std::string_view name;
  const std::string& source;
  const std::string& target;
  const std::string& tab_separated;

  bool given() const { return !(source.empty() && target.empty() && tab_separated.empty()); }
};

void expect_file(const SplitFiles& split, std::string_view side, const std::string& file) {
  std::error_code ignored;
  if (!file.empty() && !fs::exists(file, ignored)) {
    const std::string place =
        fs::path(file).is_absolute() ? "" : " in " + fs::current_path().string();
    throw IoError(fmt::format("task.{}_{}: there is no file {}{}", split.name, side, file, place));
  }
}

AlignedText read_split(const SplitFiles& files) {
  const bool one = !files.tab_separated.empty();
  const bool two = !files.source.empty() && !files.target.empty();
  const bool any_of_two = !files.source.empty() || !files.target.empty();
  if (one == two || (one && any_of_two)) {
    throw ConfigError(
        fmt::format("the {0} split of parallel_text needs task.{0}_source and task.{0}_target, or "
                    "task.{0}_tsv alone",
                    files.name));
  }
  expect_file(files, "source", files.source);
  expect_file(files, "target", files.target);
  expect_file(files, "tsv", files.tab_separated);
  return one ? read_tab_separated(files.tab_separated)
             : read_aligned_files(files.source, files.target);
}

bool has_pieces(const ParallelTextOptions& options) {
  return options.tokenizer == TokenizerKind::bpe || options.tokenizer == TokenizerKind::unigram;
}

std::string train_pieces(std::span<const std::string> lines, const ParallelTextOptions& options) {
  const bool slow = lines.size() >= many_lines;
  if (slow) {
    spdlog::info("training a tokenizer of {} entries on {} lines", options.vocabulary,
                 lines.size());
  }
  const auto start = std::chrono::steady_clock::now();
  std::string model =
      train_sentencepiece(lines, {.kind = options.tokenizer,
                                  .vocabulary = options.vocabulary,
                                  .normalization = options.normalization,
                                  .character_coverage = options.character_coverage});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (slow) {
    spdlog::info("trained the tokenizer in {:.1f} s", elapsed.count());
  }
  return model;
}

std::shared_ptr<const Tokenizer> make_tokenizer(std::span<const std::string> lines,
                                                const ParallelTextOptions& options) {
  if (has_pieces(options)) {
    return std::make_shared<SentencePieceTokenizer>(train_pieces(lines, options));
  }
  if (options.normalization != Normalization::identity) {
    throw ConfigError(
        "task.normalization is SentencePiece's: it needs task.tokenizer bpe or "
        "unigram");
  }
  const Unit unit = options.tokenizer == TokenizerKind::word ? Unit::word : Unit::character;
  return std::make_shared<VocabularyTokenizer>(count_units(lines, unit, options.vocabulary), unit);
}

Tokenizers make_tokenizers(const AlignedText& train, const ParallelTextOptions& options) {
  if (!options.joint_vocabulary) {
    return {.source = make_tokenizer(train.source, options),
            .target = make_tokenizer(train.target, options)};
  }
  std::vector<std::string> both = train.source;
  both.insert(both.end(), train.target.begin(), train.target.end());
  if (has_pieces(options)) {
    const std::string model = with_target_pieces_first(train_pieces(both, options), train.target);
    return {.source = std::make_shared<SentencePieceTokenizer>(model, Pieces::all),
            .target = std::make_shared<SentencePieceTokenizer>(model, Pieces::used)};
  }
  const std::shared_ptr<const Tokenizer> joint = make_tokenizer(both, options);
  return {.source = joint, .target = joint};
}

std::vector<Example> encode(const AlignedText& text, const Tokenizers& tokenizers) {
  std::vector<Example> examples(text.source.size());
  for_stretches(static_cast<Index>(examples.size()), [&](Index first, Index last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      examples[i] = {.source = tokenizers.source->encode(text.source[i]),
                     .target = tokenizers.target->encode(text.target[i])};
    }
  });
  return examples;
}

// Training leaves out what is too long to be worth its memory and what has no translation. With
// subword dropout the split has the texts of its sources.
Split train_split(const SplitFiles& files, const AlignedText& text, const Tokenizers& tokenizers,
                  const ParallelTextOptions& options) {
  const Index max_length = options.max_length;
  Split split;
  split.name = files.name;
  split.examples = encode(text, tokenizers);
  const auto has_empty_side = [](const Example& example) {
    return example.source.empty() || example.target.empty();
  };
  const auto is_long = [&](const Example& example) {
    return static_cast<Index>(std::max(example.source.size(), example.target.size())) > max_length;
  };
  for (std::size_t i = 0; options.subword_dropout > 0 && i < split.examples.size(); ++i) {
    if (!is_long(split.examples[i]) && !has_empty_side(split.examples[i])) {
      split.source_texts.push_back(text.source[i]);
    }
  }
  const auto too_long = static_cast<Index>(std::erase_if(split.examples, is_long));
  const auto empty = static_cast<Index>(std::erase_if(split.examples, has_empty_side));
  split.dropped = too_long + empty;
  if (split.examples.empty()) {
    throw DataError(fmt::format(
        "{}: none of the {} pairs can be trained on: each has a side that is empty or longer than "
        "task.max_length ({})",
        files.source + files.tab_separated, split.dropped, max_length));
  }
  if (split.dropped > 0) {
    spdlog::info("{} of {} training pairs dropped: {} longer than {} tokens, {} with an empty side",
                 split.dropped, text.source.size(), too_long, max_length, empty);
  }
  return split;
}

Split held_out_split(const SplitFiles& files, AlignedText text, const Tokenizers& tokenizers) {
  Split split;
  split.name = files.name;
  split.examples = encode(text, tokenizers);
  split.source_texts = std::move(text.source);
  split.references = std::move(text.target);
  const bool one = !files.tab_separated.empty();
  split.source_file = one ? files.tab_separated : files.source;
  split.target_file = one ? files.tab_separated : files.target;
  return split;
}

}  // namespace

Task make_parallel_text(const TaskOptions& options, std::uint64_t seed,
                        const std::filesystem::path& tokenizers) {
  const ParallelTextOptions& text = options.text;
  const SplitFiles train{"train", text.train_source, text.train_target, text.train_tsv};
  const SplitFiles validation{"validation", text.validation_source, text.validation_target,
                              text.validation_tsv};
  const SplitFiles test{"test", text.test_source, text.test_target, text.test_tsv};
  // All is read first, so that a fault shows before the tokenizer has been trained.
  const AlignedText train_text = read_split(train);
  AlignedText validation_text = read_split(validation);
  AlignedText test_text = test.given() ? read_split(test) : AlignedText{};

  const Tokenizers kept =
      kept_tokenizers(tokenizers, [&] { return make_tokenizers(train_text, text); });
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  task.splits.push_back(train_split(train, train_text, kept, text));
  if (text.subword_dropout > 0) {
    const auto pieces = std::dynamic_pointer_cast<const SentencePieceTokenizer>(kept.source);
    if (!pieces) {
      throw IoError(
          fmt::format("{} keeps a tokenizer without merges: task.subword_dropout needs bpe",
                      tokenizers.string()));
    }
    const auto cuts = std::make_shared<SourceCuts>(task.splits.front(), pieces, text, seed);
    task.draw_training_split = [cuts](Index epoch) { return cuts->of_epoch(epoch); };
    task.splits.front().source_texts = {};
  }
  task.splits.push_back(held_out_split(validation, std::move(validation_text), kept));
  if (test.given()) {
    task.splits.push_back(held_out_split(test, std::move(test_text), kept));
  }
  return task;
}

}  // namespace tapehead
