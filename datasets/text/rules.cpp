#include "datasets/text/rules.hpp"

#include <fmt/format.h>

#include "datasets/text/options.hpp"
#include "datasets/text/tokenizer_rules.hpp"

namespace tapehead {

namespace {

using Verdict = std::optional<Violation>;

struct Files {
  std::string_view split;  // the beginning of its options' names
  std::string_view said;   // its name in messages
  const std::string& source;
  const std::string& target;
  const std::string& tsv;
};

Verdict check(const Files& files, bool needed) {
  const auto option = [&](std::string_view of) {
    return fmt::format("task.{}_{}", files.split, of);
  };
  const std::string source = option("source");
  const std::string target = option("target");
  const std::string tsv = option("tsv");
  if (!files.tsv.empty() && !(files.source.empty() && files.target.empty())) {
    return Violation{
        {tsv, source, target},
        fmt::format("the {} text is given twice, as two files and as a TSV; keep one", files.said)};
  }
  if (files.source.empty() != files.target.empty()) {
    return Violation{{files.source.empty() ? target : source},
                     fmt::format("given alone; the {} text needs {} too", files.said,
                                 files.source.empty() ? source : target)};
  }
  if (!needed || !files.source.empty() || !files.tsv.empty()) {
    return {};
  }
  return Violation{{source, tsv, "task.name"},
                   fmt::format("parallel_text needs {} text: {} and {}, or {}", files.said, source,
                               target, tsv)};
}

}  // namespace

Verdict text_has_files(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  if (Verdict verdict = check(
          {"train", "training", text.train_source, text.train_target, text.train_tsv}, true)) {
    return verdict;
  }
  if (Verdict verdict = check({"validation", "validation", text.validation_source,
                               text.validation_target, text.validation_tsv},
                              true)) {
    return verdict;
  }
  if (Verdict verdict =
          check({"test", "test", text.test_source, text.test_target, text.test_tsv}, false)) {
    return verdict;
  }
  return header_without_tsv(text);
}

Verdict unused_by_tokenizer(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  const ParallelTextOptions defaults;
  if (!text.tokenizer_of.empty()) {
    if (text.subword_dropout != defaults.subword_dropout) {
      return Violation{{"task.subword_dropout", "task.tokenizer_of"},
                       "the merges of another run's tokenizer cannot be left out"};
    }
    return text.normalization != defaults.normalization
               ? no_effect_beside_tokenizer_of("task.normalization")
               : makes_no_tokenizer(text);
  }
  if (text.tokenizer != TokenizerKind::bpe && text.subword_dropout != defaults.subword_dropout) {
    return Violation{{"task.subword_dropout", "task.tokenizer"},
                     "this tokenizer has no merges to leave out (only bpe)"};
  }
  if (Verdict verdict = lower_case_without_word_piece(text.tokenizer, text.lower_case)) {
    return verdict;
  }
  if (is_sentencepiece(text.tokenizer)) {
    return {};
  }
  const auto unused = [](const std::string& option) {
    return Violation{{option, "task.tokenizer"},
                     "this tokenizer does not use it (only bpe, unigram)"};
  };
  if (text.normalization != defaults.normalization) {
    return unused("task.normalization");
  }
  if (text.character_coverage != defaults.character_coverage) {
    return unused("task.character_coverage");
  }
  return vocabulary_does_not_suit(text.tokenizer, text.vocabulary, defaults.vocabulary);
}

}  // namespace tapehead
