// The options of tokenizers that tasks of text share, and their rule.
#pragma once

#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"

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

  // How a tokenizer is made; `place`: of the lines, for errors.
  PieceOptions piece_options(std::string place = "",
                             Normalization normalization = Normalization::identity) const {
    return {.kind = tokenizer,
            .vocabulary = vocabulary,
            .normalization = normalization,
            .character_coverage = character_coverage,
            .place = std::move(place),
            .lower_case = lower_case};
  }

  // In the order of a config, for the `row` of a task, which has options of its own between them.
  void fields_of_kind(const auto& row) {
    row(tokenizer_of, kept_by_resume(named("tokenizer_of")),
        "run directory whose tokenizers are used, as for model.init_from; empty: they are made "
        "from the training text");
    row(tokenizer, kept_by_resume(only_with(own_tokenizer, named("tokenizer"))),
        "words at white space, characters, bytes, or subwords trained on the training text: "
        "SentencePiece (bpe, unigram), byte-level BPE as in GPT-2 (byte_bpe) or WordPiece as in "
        "BERT (word_piece)");
  }
  // `normalization`: null for tasks without this option.
  void fields_of_entries(const auto& row, Normalization* normalization = nullptr) {
    row(vocabulary,
        kept_by_resume(
            only_with(own_tokenizer,
                      When::with("task.tokenizer",
                                 {"word", "character", "bpe", "unigram", "byte_bpe", "word_piece"}),
                      named("vocabulary", 4, 1e6))),
        "entries of each vocabulary, including the three marks and, in byte_bpe, the 256 bytes; an "
        "upper limit for words and characters: the most frequent are kept");
    row(lower_case,
        kept_by_resume(only_with(own_tokenizer, When::with("task.tokenizer", {"word_piece"}),
                                 named("lower_case"))),
        "whether text loses its case and its accents, as in BERT uncased");
    if (normalization != nullptr) {
      row(*normalization,
          kept_by_resume(only_with(own_tokenizer, sentencepiece, named("normalization"))),
          "text normalisation by SentencePiece");
    }
    row(character_coverage,
        kept_by_resume(
            only_with(own_tokenizer, sentencepiece, named("character_coverage", 0.98, 1))),
        "share of the text's characters that SentencePiece must be able to write");
  }
};

template <class Options>
inline constexpr TaskRule entries_hold_bytes_rule{
    "With `task.tokenizer: byte_bpe`, `task.vocabulary` is 259 or more.",
    [](const TaskOptions& task) {
      const auto& options = task.as<Options>();
      return violation_if(
          options.tokenizer_of.empty() && options.tokenizer == TokenizerKind::byte_bpe &&
              options.vocabulary < smallest_byte_bpe,
          {"task.vocabulary", "task.tokenizer"},
          "the three marks and the 256 bytes of byte_bpe need {} entries", smallest_byte_bpe);
    }};

}  // namespace tapehead
