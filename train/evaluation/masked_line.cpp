#include "train/evaluation/masked_line.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/errors.hpp"
#include "datasets/corpus/masking.hpp"
#include "datasets/sequence.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/token_words.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A subword that begins a word holds the space before it, which a mask therefore takes in.
// SentencePiece reads a space in front of the line, and of the line only.
std::vector<TokenId> tokens_of(const Tokenizer& tokenizer, std::string_view line,
                               std::string_view mask) {
  if (line.find(mask) == std::string_view::npos) {
    return tokenizer.encode(line);
  }
  const bool subwords = has_entries_with_spaces(tokenizer);
  const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer);
  const std::string read = fmt::format("{}{}", pieces != nullptr ? " " : "", line);
  std::string_view rest = read;
  std::vector<TokenId> tokens;
  while (true) {
    const std::size_t at = rest.find(mask);
    std::string_view part = rest.substr(0, at);
    if (subwords && at != std::string_view::npos && part.ends_with(' ')) {
      part.remove_suffix(1);
    }
    const std::vector<TokenId> encoded =
        pieces != nullptr ? pieces->encode_rest(part) : tokenizer.encode(part);
    tokens.insert(tokens.end(), encoded.begin(), encoded.end());
    if (at == std::string_view::npos) {
      return tokens;
    }
    tokens.push_back(mask_id(tokenizer));
    rest.remove_prefix(at + mask.size());
  }
}

}  // namespace

Batch MaskedLine::batch(TokenId mask) const {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == mask) {
      rows.push_back(static_cast<Index>(i) + 1);
    }
  }
  const std::vector<TokenId> labels(rows.size(), 0);  // they are not known
  const IdView end = ends ? IdView(end_id) : IdView();
  return pack(std::array{Sequence{.input = {begin_id, tokens, end},
                                  .labels = {labels},
                                  .predicted = std::ssize(rows),
                                  .label_rows = rows}});
}

MaskedLine masked_line(const SavedRun& run, std::string_view line, std::string_view mask) {
  const auto& options = run.config.task.as<TextOptions>();
  std::vector<TokenId> tokens = tokens_of(*run.tokenizers.source, line, mask);
  const Index count = std::ssize(tokens);
  if (count > options.context) {
    throw DataError(fmt::format("{} tokens, but the model reads {} at a time; shorten the line",
                                count, options.context));
  }
  // The end mark is a token of its window.
  return {.tokens = std::move(tokens),
          .ends = options.documents != DocumentEnd::file && count < options.context};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
