#include "datasets/text/text_tokenizer.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/clock.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/tokenizer_of_lines.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

constexpr Index sample_bytes = Index{64} << 20;  // for subwords; about as much memory times ten
constexpr Index much_text = Index{1} << 20;      // training a subword tokenizer on it takes a while

// Lines with about `share` of the bytes of all, evenly spread, and at least one. Of a line that is
// longer than a sample may be, the beginning.
std::vector<std::string> sampled_lines(const DocumentFiles& files, double share) {
  DocumentReader reader(files);
  std::vector<std::string> sample;
  double due = 0;  // bytes
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    for (DocumentLine& line : lines) {
      const auto size = static_cast<double>(line.text.size() + 1);
      due += share * size;
      if (due >= size || sample.empty()) {
        due -= size;
        line.text.resize(std::min(line.text.size(), static_cast<std::size_t>(sample_bytes)));
        line.text.resize(utf8_valid_bytes(line.text));
        sample.push_back(std::move(line.text));
      }
    }
  }
  return sample;
}

std::shared_ptr<const Tokenizer> trained_on(const std::vector<std::string>& lines,
                                            const TextOptions& options) {
  if (!is_sentencepiece(options.tokenizer)) {
    return tokenizer_of_lines(options.tokenizer, lines, options.vocabulary, options.lower_case);
  }
  return std::make_shared<const SentencePieceTokenizer>(
      train_sentencepiece(lines, {.kind = options.tokenizer,
                                  .vocabulary = options.vocabulary,
                                  .normalization = Normalization::identity,
                                  .character_coverage = options.character_coverage,
                                  .running_text = true}));
}

std::shared_ptr<const Tokenizer> subwords(const DocumentFiles& files, const TextOptions& options) {
  const Index bytes = bytes_in(files);
  const double share = std::min(
      1.0, static_cast<double>(sample_bytes) / static_cast<double>(std::max<Index>(1, bytes)));
  const std::vector<std::string> lines = sampled_lines(files, share);
  const bool slow = bytes >= much_text;
  if (slow) {
    spdlog::info("training a tokenizer of {} entries on {} lines", options.vocabulary,
                 lines.size());
  }
  const auto begin = Clock::now();
  try {
    const auto tokenizer = trained_on(lines, options);
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

}  // namespace

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

}  // namespace tapehead
