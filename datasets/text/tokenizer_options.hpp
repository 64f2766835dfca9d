// The options of tokenizers that tasks of text share, and their rule.
#pragma once

#include "core/fields.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Options for making a tokenizer have no effect on the tokenizer of another run.
inline constexpr When own_tokenizer = When::without("task.tokenizer_of");
inline constexpr When sentencepiece = When::with("task.tokenizer", {"bpe", "unigram"});

template <TokenizerKind usual_kind, Index usual_entries>
struct TokenizerOptions {
  std::string tokenizer_of{};
  TokenizerKind tokenizer = usual_kind;
  Index vocabulary = usual_entries;
  bool lower_case = false;
  double character_coverage = 1.0;

  // Three functions, in the order of a config: tasks have options of their own between them.
  template <class Visitor>
  void fields_of_kind(Visitor& visit) {
    visit(Field{.name = "tokenizer_of",
                .help = "run directory whose tokenizers are used, as for model.init_from; empty: "
                        "they are made from the training text",
                .kept_by_resume = true},
          tokenizer_of);
    visit(Field{.name = "tokenizer",
                .help = "words at white space, characters, bytes, or subwords trained on the "
                        "training text: SentencePiece (bpe, unigram), byte-level BPE as in GPT-2 "
                        "(byte_bpe) or WordPiece as in BERT (word_piece)",
                .kept_by_resume = true,
                .when = only(own_tokenizer)},
          tokenizer);
  }
  template <class Visitor>
  void fields_of_entries(Visitor& visit) {
    visit(
        Field{.name = "vocabulary",
              .help = "entries of each vocabulary, with the three marks; for words and characters "
                      "an upper limit: the most frequent ones; in byte_bpe the 256 bytes are "
                      "entries",
              .minimum = 4,
              .maximum = 1e6,
              .kept_by_resume = true,
              .when = only(own_tokenizer,
                           When::with("task.tokenizer", {"word", "character", "bpe", "unigram",
                                                         "byte_bpe", "word_piece"}))},
        vocabulary);
    visit(Field{.name = "lower_case",
                .help = "whether text loses its case and its accents, as in BERT uncased",
                .kept_by_resume = true,
                .when = only(own_tokenizer, When::with("task.tokenizer", {"word_piece"}))},
          lower_case);
  }
  template <class Visitor>
  void fields_of_characters(Visitor& visit) {
    visit(Field{.name = "character_coverage",
                .help = "share of the text's characters that SentencePiece must be able to write",
                .minimum = 0.98,
                .maximum = 1,
                .kept_by_resume = true,
                .when = only(own_tokenizer, sentencepiece)},
          character_coverage);
  }
};

template <class Options>
std::optional<Violation> entries_hold_bytes(const TaskOptions& task) {
  const auto& options = task.as<Options>();
  if (!options.tokenizer_of.empty() || options.tokenizer != TokenizerKind::byte_bpe ||
      options.vocabulary >= smallest_byte_bpe) {
    return {};
  }
  return Violation{{"task.vocabulary", "task.tokenizer"},
                   fmt::format("the three marks and the 256 bytes of byte_bpe need {} entries",
                               smallest_byte_bpe)};
}

template <class Options>
inline constexpr TaskRule entries_hold_bytes_rule{
    "With `task.tokenizer: byte_bpe`, `task.vocabulary` is 259 or more.",
    entries_hold_bytes<Options>};

}  // namespace tapehead
