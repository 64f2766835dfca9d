// Trains a SentencePiece model in memory and reproducibly, and orders the pieces of a joint model.
// The library ends its process at an internal error, so training has a process of its own.
#include <unordered_map>

#include <sentencepiece_trainer.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "core/files/process.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

namespace {

constexpr Index longest_run = 1000;  // characters without a space
constexpr std::string_view nul{"\0", 1};

constexpr std::string_view other_tokenizers = "choose another task.tokenizer or task.vocabulary";

// If the library read files itself, the model would contain their paths.
class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::span<const std::string> lines) : lines_(lines) { prepare(); }
  bool done() const override { return next_ == lines_.size(); }
  void Next() override {
    ++next_;
    prepare();
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void prepare() { line_ = done() ? std::string() : trainable_line(lines_[next_]); }

  std::span<const std::string> lines_;
  std::size_t next_ = 0;
  std::string line_;
};

std::unordered_map<std::string, std::string> arguments(const PieceOptions& options) {
  std::unordered_map<std::string, std::string> all{
      {"model_type", std::string(name_of(options.kind))},
      {"vocab_size", std::to_string(options.vocabulary)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"normalization_rule_name", std::string(name_of(options.normalization))},
      {"unk_id", std::to_string(unknown_id)},
      {"bos_id", std::to_string(begin_id)},
      {"eos_id", std::to_string(end_id)},
      {"pad_id", "-1"},
      {"num_threads", "1"},
      {"input_sentence_size", "0"},  // all lines, in order
      {"max_sentence_length", "1073741824"},
      {"shuffle_input_sentence", "false"},
      {"minloglevel", "3"},  // only messages that end the process
  };
  if (options.running_text) {
    all["remove_extra_whitespaces"] = "false";
    all["allow_whitespace_only_pieces"] = "true";
    all["user_defined_symbols"] = line_end;
  }
  if (options.character_coverage < 1) {
    all["required_chars"] = "\u2581";  // otherwise spaces are unknown if words are long
  }
  return all;
}

// The number after `words`; empty if they do not occur.
std::string number_after(const std::string& message, std::string_view words) {
  const std::size_t found = message.find(words);
  if (found == std::string::npos) {
    return "";
  }
  const std::size_t start = found + words.size();
  return message.substr(start, message.find_first_not_of("0123456789", start) - start);
}

// The library gives the limits only in its message: "Vocabulary size too high (100). Please set it
// to a value <= 43." and "Vocabulary size is smaller than required_chars. 8 vs 15."
std::string remedy(const std::string& message) {
  if (const std::string most = number_after(message, "value <= "); !most.empty()) {
    return fmt::format("the text gives at most {0} entries; set task.vocabulary to {0} or less",
                       most);
  }
  if (const std::string least = number_after(message, " vs "); !least.empty()) {
    return fmt::format(
        "the text's characters and the marks alone take {0} entries; set task.vocabulary to {0} or "
        "more, or lower task.character_coverage",
        least);
  }
  return fmt::format("SentencePiece says \"{}\"; {}", message, other_tokenizers);
}

std::string train_here(std::span<const std::string> lines, const PieceOptions& options) {
  Lines sentences(lines);
  std::string model;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(arguments(options), &sentences, &model);
  if (!status.ok()) {
    throw DataError(remedy(status.error_message()));
  }
  return model;
}

void expect_ok(const sentencepiece::util::Status& status) {
  if (!status.ok()) {
    throw DataError(std::string("not a SentencePiece model: ") + status.error_message());
  }
}

}  // namespace

std::string with_spaces(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '\t', ' ');
  return result;
}

std::string_view sentencepiece_reserved(std::string_view character) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> reserved{{
      {nul, "SentencePiece has no piece with a NUL byte"},
      {"\u2581", "SentencePiece writes it for a space"},
      {unknown_stand_in, "SentencePiece writes it for unknown text"},
  }};
  const auto* const found =
      std::ranges::find(reserved, character, [](const auto& row) { return row.first; });
  return found == reserved.end() ? std::string_view() : found->second;
}

bool has_text(std::string_view text, Normalization normalization) {
  const auto characters =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  for (int32_t i = 0; i < characters.length(); i = characters.moveIndex32(i, 1)) {
    const UChar32 character = characters.char32At(i);
    const bool space = character == U' ' || character == U'\u2581';
    const bool gone = normalization != Normalization::identity &&
                      (u_isUWhiteSpace(character) != 0 ||
                       u_hasBinaryProperty(character, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0);
    if (!space && !gone) {
      return true;
    }
  }
  return false;
}

std::string trainable_line(std::string_view text) {
  const std::string spaced = with_spaces(text);
  std::string_view line = spaced;
  std::string result;
  result.reserve(line.size());
  Index run = 0;
  while (!line.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(line));
    const std::string_view character = line.substr(0, length);
    const bool mark =
        line.starts_with("<unk>") || line.starts_with("<s>") || line.starts_with("</s>");
    line.remove_prefix(length);
    if (character == nul || character == unknown_stand_in) {
      continue;
    }
    run = character == " " ? 0 : run + 1;
    if (run > longest_run) {
      result += ' ';
      run = 1;
    }
    result += character;
    if (mark) {
      result += ' ';
      run = 0;
    }
  }
  return result;
}

std::string train_sentencepiece(std::span<const std::string> lines, const PieceOptions& options) {
  std::string problem;
  try {
    if (std::ranges::any_of(lines, [&](const std::string& line) {
          return has_text(trainable_line(line), options.normalization);
        })) {
      return isolated([&] { return train_here(lines, options); });
    }
    problem = "the lines contain no text";
  } catch (const DataError& error) {
    problem = error.what();
  } catch (const IsolatedEnd& end) {
    problem = fmt::format("SentencePiece failed with {}; {}", end.what(), other_tokenizers);
  }
  throw DataError("{}{}cannot train a {} tokenizer of {} entries on {} lines: {}", options.place,
                  options.place.empty() ? "" : ": ", name_of(options.kind), options.vocabulary,
                  lines.size(), problem);
}

std::string with_target_pieces_first(const std::string& model,
                                     std::span<const std::string> target_lines) {
  sentencepiece::SentencePieceProcessor processor;
  expect_ok(processor.LoadFromSerializedProto(model));
  using Counts = std::map<TokenId, Index>;
  const auto used_ids =
      counts_over_lines<Counts>(std::ssize(target_lines), [&](Counts& counts, std::size_t i) {
        std::vector<TokenId> tokens;
        expect_ok(processor.Encode(with_spaces(target_lines[i]), &tokens));
        for (const TokenId token : tokens) {
          ++counts[token];
        }
      });
  const auto pieces =
      mapped(std::views::keys(used_ids), [&](TokenId token) { return processor.IdToPiece(token); });
  // Marks all other pieces unused, except our marks and single characters.
  expect_ok(processor.SetVocabulary({pieces.begin(), pieces.end()}));
  // The new model does not mark pieces unused, so that other programs use them for sources.
  std::string used, unused, others;
  int id = 0;
  Index target_pieces = 0;
  for_fields(model, [&](const SerializedField& field) {
    const bool piece = field.number == model_pieces;
    const bool left_out = piece && processor.IsUnused(id);
    (!piece ? others : left_out ? unused : used) += field.whole;
    id += piece ? 1 : 0;
    target_pieces += piece && !left_out ? 1 : 0;
  });
  return with_additions(used + unused + others, {.target_pieces = target_pieces});
}

}  // namespace tapehead
