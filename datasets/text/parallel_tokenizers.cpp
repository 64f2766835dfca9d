// Makes the tokenizers of parallel text, and checks that they can write the training pairs.
#include "datasets/text/parallel_options.hpp"

#include <spdlog/spdlog.h>

#include "core/files/process.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

namespace {

constexpr std::size_t many_lines = 20000;  // with so many, training subwords takes about a second

// A lower bound for the number of tokens of a line: no piece crosses a space, and no merge crosses
// the end of a chunk or of a word.
Index fewest_tokens(std::string_view line, TokenizerKind kind) {
  if (const auto unit = unit_of(name_of(kind))) {
    return std::ssize(units_of(line, *unit));
  }
  if (kind == TokenizerKind::byte_bpe) {
    return std::ssize(chunks_of(line));
  }
  return kind == TokenizerKind::word_piece
             ? std::ssize(basic_words(line, {}))
             : std::ranges::count_if(std::views::split(line, ' '),
                                     [](const auto& word) { return !word.empty(); });
}

// The pairs that will be trained on. Pairs that are certain to be dropped become empty lines.
AlignedText without_dropped(AlignedText text, const ParallelTextOptions& options) {
  const auto usable = [&](const std::string& line) {
    const Index tokens = fewest_tokens(line, options.tokenizer);
    return tokens > 0 && tokens <= options.max_length;
  };
  bool any = false;
  for (std::size_t i = 0; i < text.source.size(); ++i) {
    if (usable(text.source[i]) && usable(text.target[i])) {
      any = true;
    } else {
      text.source[i].clear();
      text.target[i].clear();
    }
  }
  if (!any) {
    throw no_training_pairs(options, std::ssize(text.source));
  }
  return text;
}

// The lines of one side of the training text, or the source lines followed by the target lines.
struct TrainingText {
  std::vector<std::string> files;  // one file, or source and target
  std::vector<std::string> lines;

  // File and line of line `number`, counted from 1.
  std::string place(Index number) const {
    const auto each = static_cast<Index>(lines.size() / files.size());
    return fmt::format("{}:{}", files[static_cast<std::size_t>((number - 1) / each)],
                       (number - 1) % each + 1);
  }
};

TrainingText source_text(const AlignedText& text, const ParallelTextOptions& options) {
  return {{options.train_tsv.empty() ? options.train_source : options.train_tsv}, text.source};
}

TrainingText target_text(const AlignedText& text, const ParallelTextOptions& options) {
  return {{options.train_tsv.empty() ? options.train_target : options.train_tsv}, text.target};
}

std::string train_pieces(const TrainingText& text, const ParallelTextOptions& options) {
  const bool slow = text.lines.size() >= many_lines;
  if (slow) {
    spdlog::info("training a tokenizer of {} entries on {} lines", options.vocabulary,
                 text.lines.size());
  }
  const auto start = Clock::now();
  std::string model = train_sentencepiece(
      text.lines, options.piece_options(join(text.files, " and "), options.normalization));
  if (slow) {
    spdlog::info("trained the tokenizer in {:.1f} s", seconds_since(start));
  }
  return model;
}

// How often the tokenizer loses a part of its training lines, and the first such line, from 1.
struct LostPart {
  Index count = 0;
  Index first_line = std::numeric_limits<Index>::max();

  void operator+=(const LostPart& more) {
    count += more.count;
    first_line = std::min(first_line, more.first_line);
  }
};
using LostParts = std::map<std::string, LostPart>;

// Counts the unknown parts of each line. If a line has none, but its tokens do not decode to its
// normalised text, the line counts as the part "".
LostParts lost_parts(const SentencePieceTokenizer& tokenizer, std::span<const std::string> lines,
                     Normalization normalization) {
  return counts_over_lines<LostParts>(std::ssize(lines), [&](LostParts& lost, std::size_t i) {
    std::vector<std::string> parts = tokenizer.unknown_parts(lines[i]);
    if (parts.empty() && tokenizer.decode(tokenizer.encode(lines[i])) !=
                             normalised_text(tokenizer, lines[i], normalization)) {
      parts.emplace_back();
    }
    for (const std::string& part : parts) {
      lost[part] += LostPart{.count = 1, .first_line = static_cast<Index>(i) + 1};
    }
  });
}

// Lists the first five parts: "`x` 3 times, first at train.en:4; ...".
std::string list_of(const LostParts& lost, const TrainingText& text) {
  constexpr std::size_t most = 5;
  std::vector<std::string> items;
  for (const auto& [part, found] : lost) {
    if (items.size() == most) {
      items.push_back(fmt::format("{} more", lost.size() - most));
      break;
    }
    items.push_back(fmt::format("`{}` {} time{}, first at {}", shown(part), found.count,
                                found.count == 1 ? "" : "s", text.place(found.first_line)));
  }
  return join(items, "; ");
}

// Throws DataError if pieces lose text, but logs it if task.character_coverage is below 1.
void check_pieces(const SentencePieceTokenizer& tokenizer, const TrainingText& text,
                  const ParallelTextOptions& options) {
  const LostParts lost = lost_parts(tokenizer, text.lines, options.normalization);
  if (lost.empty()) {
    return;
  }
  const std::string what =
      fmt::format("a {} tokenizer cannot write all characters of its training text: {}",
                  name_of(options.tokenizer), list_of(lost, text));
  if (options.character_coverage < 1) {
    spdlog::info("{}; they become unknown tokens (task.character_coverage {})", what,
                 options.character_coverage);
    return;
  }
  const auto& [part, found] = *lost.begin();
  const std::string_view reason = sentencepiece_reserved(part);
  throw DataError(
      "{}: {}{}{}. Take them out of the text, set task.tokenizer to word or character, or set "
      "task.character_coverage below 1 to make them unknown tokens",
      text.place(found.first_line), what, reason.empty() ? "" : ". ", reason);
}

using PiecesOf = std::shared_ptr<const SentencePieceTokenizer>;

Tokenizers checked(const PiecesOf& source, const PiecesOf& target, AlignedText text,
                   const ParallelTextOptions& options) {
  if (text.source.size() >= many_lines) {
    spdlog::info("checking that the tokenizer restores its training text");
  }
  // Clears pairs that will be dropped as too long: their text need not be restored from tokens.
  for_lines_in_parallel(text.source.size(), [&](std::size_t i) {
    const std::size_t longer =
        std::max(source->encode(text.source[i]).size(), target->encode(text.target[i]).size());
    if (static_cast<Index>(longer) > options.max_length) {
      text.source[i].clear();
      text.target[i].clear();
    }
  });
  check_pieces(*source, source_text(text, options), options);
  check_pieces(*target, target_text(text, options), options);
  return {.source = source, .target = target};
}

Tokenizers joint_tokenizers(const AlignedText& text, const ParallelTextOptions& options) {
  TrainingText both = source_text(text, options);
  TrainingText target = target_text(text, options);
  both.files.push_back(std::move(target.files.front()));
  std::ranges::move(target.lines, std::back_inserter(both.lines));
  if (!is_sentencepiece(options.tokenizer)) {
    const auto joint = tokenizer_of_lines(options.piece_options(), both.lines);
    return {.source = joint, .target = joint};
  }
  const std::string model = with_target_pieces_first(train_pieces(both, options), text.target);
  return checked(std::make_shared<SentencePieceTokenizer>(model, Pieces::all),
                 std::make_shared<SentencePieceTokenizer>(model, Pieces::used), text, options);
}

// Tries both sides even if one fails, so that the problems of both are reported together.
Tokenizers separate_tokenizers(const AlignedText& text, const ParallelTextOptions& options) {
  const TrainingText source = source_text(text, options);
  const TrainingText target = target_text(text, options);
  if (!is_sentencepiece(options.tokenizer)) {
    return {.source = tokenizer_of_lines(options.piece_options(), source.lines),
            .target = tokenizer_of_lines(options.piece_options(), target.lines)};
  }
  std::vector<PiecesOf> sides;
  std::vector<std::string> problems;
  for (const auto& [side, lines] : {std::pair{"source", &source}, std::pair{"target", &target}}) {
    try {
      sides.push_back(std::make_shared<SentencePieceTokenizer>(train_pieces(*lines, options)));
    } catch (const DataError& error) {
      problems.push_back(fmt::format("{} side, {}", side, error.what()));
    }
  }
  if (!problems.empty()) {
    throw DataError("{}{}", join(problems, "\n"),
                    problems.size() == 1 ? ""
                                         : "\nboth sides use the same task.vocabulary: choose a "
                                           "size that suits both, or set task.joint_vocabulary");
  }
  return checked(sides[0], sides[1], text, options);
}

}  // namespace

DataError no_training_pairs(const ParallelTextOptions& options, Index pairs) {
  return DataError(
      "{}: none of the {} pairs can be trained on: each has a side that is empty or longer than "
      "task.max_length ({})",
      options.train_source + options.train_tsv, pairs, options.max_length);
}

Tokenizers make_parallel_tokenizers(const AlignedText& train, const ParallelTextOptions& options) {
  const AlignedText text = without_dropped(train, options);
  if (options.tokenizer_of.empty()) {
    return options.joint_vocabulary ? joint_tokenizers(text, options)
                                    : separate_tokenizers(text, options);
  }
  Tokenizers tokenizers = tokenizers_of_run(options.tokenizer_of);
  const bool joint = tokenizers.source->shares_file_with(*tokenizers.target);
  if (joint != options.joint_vocabulary) {
    throw DataError("task.tokenizer_of: {} has {}, so task.joint_vocabulary must be {}",
                    options.tokenizer_of,
                    joint ? "one tokenizer for both sides" : "a tokenizer for each side", joint);
  }
  return tokenizers;
}

}  // namespace tapehead
