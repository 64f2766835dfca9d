#include "datasets/text/text_options.hpp"

#include <spdlog/spdlog.h>

#include "core/files/process.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// The pattern of a split's own files; empty for a split that has a share of the training text.
const std::string& own_pattern(const TextOptions& options, std::string_view split) {
  return split == "test"         ? options.test_text
         : split == "validation" ? options.validation_text
                                 : options.train_text;
}

// The share of the training text at which a split begins, if it has no files of its own.
double begin_of(const TextOptions& options, std::string_view split) {
  const double test = options.test_text.empty() ? 1 - options.test_share : 1;
  const double validation =
      options.validation_text.empty() ? test - options.validation_share : test;
  return split == "train" ? 0 : split == "validation" ? validation : test;
}

// The files must be regular, since the text is read several times.
void expect_files(const std::vector<fs::path>& paths, const std::string& option) {
  for (const fs::path& path : paths) {
    expect_file(path, option);
    if (!fs::is_regular_file(status_of(path))) {
      throw IoError(fmt::format("{}: cannot read {}: it is not a file", option, path.string()));
    }
  }
}

constexpr Index sample_bytes = Index{64} << 20;  // for subwords; takes about ten times the memory
constexpr std::size_t line_bytes = 4096;         // longest line to train on, about
constexpr Index much_text = Index{1} << 20;      // training a subword tokenizer on it takes a while

// Lines with about `share` of all bytes, evenly spread, and at least one line. A long line is cut
// into several, since SentencePiece copies each repeated piece of a line, however long, to look at
// it (unigram_model_trainer.cc).
std::vector<std::string> sampled_lines(const DocumentFiles& files, double share) {
  DocumentReader reader(files);
  std::vector<std::string> sample;
  double due = 0;  // bytes to sample
  const auto offer = [&](std::string_view text) {
    const auto size = static_cast<double>(text.size() + 1);
    due += share * size;
    if (due >= size || sample.empty()) {
      due -= size;
      text = text.substr(0, static_cast<std::size_t>(sample_bytes));
      sample.emplace_back(text.substr(0, utf8_valid_bytes(text)));
    }
  };
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    for (const DocumentLine& line : lines) {
      std::string_view rest = line.text;
      offer(take_part(rest, line_bytes));
      while (!rest.empty()) {
        rest.remove_prefix(1);  // the space at which the line was cut
        offer(take_part(rest, line_bytes));
      }
    }
  }
  return sample;
}

std::shared_ptr<const Tokenizer> subwords(const DocumentFiles& files, const TextOptions& options) {
  const Index bytes = bytes_in(files);
  const double share = std::min(
      1.0, static_cast<double>(sample_bytes) / static_cast<double>(std::max<Index>(1, bytes)));
  const std::vector<std::string> lines = sampled_lines(files, share);
  const bool slow = bytes >= much_text;
  if (slow) {
    spdlog::info("training a tokenizer of {} entries on {:.1f} MB", options.vocabulary,
                 static_cast<double>(std::min(bytes, sample_bytes)) / 1e6);
  }
  const auto begin = Clock::now();
  try {
    const auto tokenizer = tokenizer_of_lines({.kind = options.tokenizer,
                                               .vocabulary = options.vocabulary,
                                               .character_coverage = options.character_coverage,
                                               .running_text = true},
                                              lines, options.lower_case);
    if (slow) {
      spdlog::info("trained the tokenizer in {:.1f} s", seconds_since(begin));
    }
    return tokenizer;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", files.name, error.what()));
  }
}

std::shared_ptr<const Tokenizer> most_frequent_units(const DocumentFiles& files, Unit unit,
                                                     Index limit) {
  DocumentReader reader(files);
  EntryCounts counts;
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    for (const DocumentLine& line : lines) {
      for (std::string_view rest = line.text; !rest.empty();) {
        const std::string_view part = take_part(rest, part_bytes);
        count_units(part, unit, counts);
        reader.done(std::ssize(part));
      }
      if (!line.opens) {
        count_units(line_end, unit, counts);
      }
    }
  }
  return std::make_shared<VocabularyTokenizer>(most_frequent(counts, limit), unit);
}

std::vector<TokenId> mark_of(const TextOptions& options) {
  if (options.stream) {
    return {end_id};  // of the previous document
  }
  return options.begin_mark ? std::vector<TokenId>{begin_id} : std::vector<TokenId>{};
}

std::vector<TokenId> empty_prompt(const Tokenizer& tokenizer, bool one_document) {
  const std::vector<TokenId> end_of_line = tokenizer.encode(line_end);
  const bool known = end_of_line.size() == 1 && end_of_line.front() != unknown_id;
  return one_document && known ? end_of_line : std::vector<TokenId>{begin_id};
}

}  // namespace

DocumentFiles TextSplits::of(std::string_view split) {
  const bool own = split != "train" && !own_pattern(options_, split).empty();
  const std::string& pattern = own ? own_pattern(options_, split) : options_.train_text;
  DocumentFiles files{.paths = matching_files(pattern),
                      .name = pattern,
                      .split = std::string(split),
                      .end = options_.documents,
                      .separator = options_.separator};
  expect_files(files.paths, fmt::format("task.{}_text", own ? split : "train"));
  if (!own) {
    files.share = share_of(split, files);
  }
  return files;
}

TextShare TextSplits::share_of(std::string_view split, const DocumentFiles& all) {
  const std::string_view next = split == "train" ? "validation" : "test";
  const bool to_the_end = split == "test" || begin_of(options_, next) >= 1;
  if (split == "train" && to_the_end) {
    return {};
  }
  if (!bytes_) {
    bytes_ = static_cast<double>(bytes_in(all));
  }
  TextShare share{.from = static_cast<Index>(*bytes_ * begin_of(options_, split))};
  if (!to_the_end) {
    share.to = static_cast<Index>(*bytes_ * begin_of(options_, next));
  }
  return share;
}

std::shared_ptr<const Tokenizer> make_text_tokenizer(const DocumentFiles& files,
                                                     const TextOptions& options) {
  if (!options.tokenizer_of.empty()) {
    return tokenizer_of_run(options.tokenizer_of);
  }
  switch (options.tokenizer) {
    case TokenizerKind::byte:
      return std::make_shared<VocabularyTokenizer>(all_bytes(), Unit::byte);
    case TokenizerKind::word:
      return most_frequent_units(files, Unit::word, options.vocabulary);
    case TokenizerKind::character:
      return most_frequent_units(files, Unit::character, options.vocabulary);
    default:
      return subwords(files, options);
  }
}

TextFront::TextFront(const TextOptions& options, const Tokenizer& tokenizer, bool one_document)
    : mark_(one_document ? std::vector<TokenId>{} : mark_of(options)),
      empty_(mark_.empty() ? empty_prompt(tokenizer, one_document) : mark_),
      has_marks_(options.begin_mark) {}

std::string_view TextFront::in_words() const {
  return mark_.empty()             ? "nothing"
         : mark_.front() == end_id ? "the end of a document"
                                   : "the begin mark of a document";
}

std::vector<TokenId> TextFront::prompt(std::vector<TokenId> text) const {
  if (text.empty()) {
    return empty_;
  }
  text.insert(text.begin(), mark_.begin(), mark_.end());
  return text;
}

std::vector<TokenId> TextFront::whole(const std::vector<TokenId>& text) const {
  std::vector<TokenId> all = has_marks_ ? empty_ : std::vector<TokenId>{};
  all.insert(all.end(), text.begin(), text.end());
  return all;
}

}  // namespace tapehead
