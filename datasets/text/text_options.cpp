#include "datasets/text/text_options.hpp"

#include <fmt/format.h>

#include "datasets/text/tokenizer_rules.hpp"

namespace tapehead {

std::optional<Violation> text_is_given(const TaskOptions& task) {
  if (!task.as<TextOptions>().train_text.empty()) {
    return {};
  }
  return Violation{{"task.train_text", "task.name"}, "text needs a file to train on"};
}

std::optional<Violation> share_without_file(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  const bool shared = options.validation_text.empty();
  if (!shared && options.validation_share != TextOptions().validation_share) {
    return Violation{{"task.validation_share", "task.validation_text"},
                     "has no effect, since the validation text has a file of its own"};
  }
  if (!options.test_text.empty() && options.test_share != 0) {
    return Violation{{"task.test_share", "task.test_text"},
                     "has no effect, since the test text has a file of its own"};
  }
  if (shared && options.validation_share == 0) {
    return Violation{{"task.validation_share", "task.validation_text"},
                     "text needs a validation split: a share of the training text, or a file"};
  }
  const double held_out = (shared ? options.validation_share : 0) + options.test_share;
  if (held_out < 1) {
    return {};
  }
  return Violation{
      {"task.validation_share", "task.test_share"},
      fmt::format("nothing is left to train on (the shares of validation and test are {})",
                  held_out)};
}

std::optional<Violation> separator_separates(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  const bool used = options.documents == DocumentEnd::separator;
  if (used == !options.separator.empty()) {
    return {};
  }
  return used ? Violation{{"task.separator", "task.documents"},
                          "documents: separator needs the line that separates documents"}
              : Violation{{"task.separator", "task.documents"},
                          "has no effect (only with task.documents: separator)"};
}

std::optional<Violation> unused_by_text_tokenizer(const TaskOptions& task) {
  const auto& options = task.as<TextOptions>();
  const TextOptions defaults;
  if (!options.tokenizer_of.empty()) {
    return makes_no_tokenizer(options);
  }
  if (!is_sentencepiece(options.tokenizer) &&
      options.character_coverage != defaults.character_coverage) {
    return Violation{{"task.character_coverage", "task.tokenizer"},
                     "this tokenizer does not use it (only bpe, unigram)"};
  }
  if (!has_subwords(options.tokenizer) && options.mask_words) {
    return Violation{{"task.mask_words", "task.tokenizer"},
                     "this tokenizer has no parts of words to mask together (only bpe, "
                     "unigram, byte_bpe, word_piece)"};
  }
  if (auto violation = lower_case_without_word_piece(options.tokenizer, options.lower_case)) {
    return violation;
  }
  return vocabulary_does_not_suit(options.tokenizer, options.vocabulary, defaults.vocabulary);
}

}  // namespace tapehead
