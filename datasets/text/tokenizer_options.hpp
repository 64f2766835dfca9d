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

  // In the order of a config, for the `row` of a task, which has options of its own between them.
  template <class AddRow>
  void fields_of_kind(const AddRow& row) {
    row(tokenizer_of, kept_by_resume(named("tokenizer_of")),
        "run directory whose tokenizers are used, as for model.init_from; empty: they are made "
        "from the training text");
    row(tokenizer, kept_by_resume(only_with(own_tokenizer, named("tokenizer"))),
        "words at white space, characters, bytes, or subwords trained on the training text: "
        "SentencePiece (bpe, unigram), byte-level BPE as in GPT-2 (byte_bpe) or WordPiece as in "
        "BERT (word_piece)");
  }
  template <class AddRow>
  void fields_of_entries(const AddRow& row) {
    row(vocabulary,
        kept_by_resume(
            only_with(own_tokenizer,
                      When::with("task.tokenizer",
                                 {"word", "character", "bpe", "unigram", "byte_bpe", "word_piece"}),
                      named("vocabulary", 4, 1e6))),
        "entries of each vocabulary, with the three marks; for words and characters an upper "
        "limit: the most frequent ones; in byte_bpe the 256 bytes are entries");
    row(lower_case,
        kept_by_resume(only_with(own_tokenizer, When::with("task.tokenizer", {"word_piece"}),
                                 named("lower_case"))),
        "whether text loses its case and its accents, as in BERT uncased");
  }
  // Of the tasks that have this option.
  template <class AddRow>
  static void field_of_normalization(const AddRow& row, Normalization& normalization) {
    row(normalization,
        kept_by_resume(only_with(own_tokenizer, sentencepiece, named("normalization"))),
        "text normalisation by SentencePiece");
  }
  template <class AddRow>
  void fields_of_characters(const AddRow& row) {
    row(character_coverage,
        kept_by_resume(
            only_with(own_tokenizer, sentencepiece, named("character_coverage", 0.98, 1))),
        "share of the text's characters that SentencePiece must be able to write");
  }
};

template <class Options>
std::optional<Violation> entries_hold_bytes(const TaskOptions& task) {
  const auto& options = task.as<Options>();
  return unless(!options.tokenizer_of.empty() || options.tokenizer != TokenizerKind::byte_bpe ||
                    options.vocabulary >= smallest_byte_bpe,
                {"task.vocabulary", "task.tokenizer"},
                "the three marks and the 256 bytes of byte_bpe need {} entries", smallest_byte_bpe);
}

template <class Options>
inline constexpr TaskRule entries_hold_bytes_rule{
    "With `task.tokenizer: byte_bpe`, `task.vocabulary` is 259 or more.",
    entries_hold_bytes<Options>};

}  // namespace tapehead
