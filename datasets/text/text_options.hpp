// The options of the task text, and the rules for them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/tokenizers/tokenizer_kind.hpp"

namespace tapehead {

// Running text, plain or gzipped. A run keeps it as tokens, so the files are needed only when it
// starts.
struct TextOptions {
  std::string train_text{};
  std::string validation_text{};
  std::string test_text{};
  double validation_share = 0.1;
  double test_share = 0;
  DocumentEnd documents = DocumentEnd::file;
  std::string separator{};
  bool stream = false;
  bool begin_mark = true;
  Index context = 256;
  double mask_share = 0.15;
  bool mask_words = false;
  std::string tokenizer_of{};
  TokenizerKind tokenizer = TokenizerKind::bpe;
  Index vocabulary = 4096;
  bool lower_case = false;
  double character_coverage = 1.0;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "train_text", .help = "file of text to train on, or several: docs/*.md"},
          train_text);
    visit(Field{.name = "validation_text",
                .help = "file, or files, for validation; empty: validation_share of train_text"},
          validation_text);
    visit(Field{.name = "test_text",
                .help = "file, or files, for the final test; empty: test_share of train_text"},
          test_text);
    visit(Field{.name = "validation_share",
                .help = "part of train_text, before that of test_share, to validate on instead",
                .minimum = 0,
                .maximum = 0.9},
          validation_share);
    visit(Field{.name = "test_share",
                .help = "part of train_text, at its end, to test on instead; 0: no test split",
                .minimum = 0,
                .maximum = 0.9},
          test_share);
    visit(Field{.name = "documents",
                .help = "where a document ends: with its file, with each line, at blank lines, or "
                        "at lines that are the separator"},
          documents);
    visit(Field{.name = "separator", .help = "the line between two documents"}, separator);
    visit(Field{.name = "stream",
                .help = "true: a window may go on from one document to the next, past its end "
                        "mark; false: the tokens of a window are of one document, which begins "
                        "with a begin mark"},
          stream);
    visit(Field{.name = "begin_mark",
                .help = "without stream: whether a document begins with a begin mark; false: "
                        "nothing stands in front of it, and its first token is not predicted"},
          begin_mark);
    visit(Field{.name = "context",
                .help = "the longest window: tokens that are read, and predicted, together",
                .minimum = 1,
                .maximum = 1048576,
                .unit = "tokens"},
          context);
    visit(Field{.name = "mask_share",
                .help = "encoder: part of each window's tokens that is masked, at least one, and "
                        "drawn again in each epoch (Devlin et al. 2019)",
                .minimum = 0,
                .maximum = 1,
                .exclusive_minimum = true},
          mask_share);
    visit(Field{.name = "mask_words",
                .help = "encoder: whether whole words are masked instead of single tokens"},
          mask_words);
    visit(Field{.name = "tokenizer_of",
                .help = "run directory whose tokenizer is used, as for model.init_from; empty: one "
                        "is made from the training text",
                .kept_by_resume = true},
          tokenizer_of);
    visit(Field{.name = "tokenizer",
                .help = "words at white space, characters, bytes, or subwords trained on the "
                        "training text: SentencePiece (bpe, unigram), byte-level BPE as in GPT-2 "
                        "(byte_bpe) or WordPiece as in BERT (word_piece)",
                .kept_by_resume = true},
          tokenizer);
    visit(Field{.name = "vocabulary",
                .help = "entries of the vocabulary, with the three marks; for words and characters "
                        "an upper limit: the most frequent ones; also for word_piece and byte_bpe, "
                        "whose 256 bytes are entries; for bytes not used",
                .minimum = 4,
                .maximum = 1e6,
                .kept_by_resume = true},
          vocabulary);
    visit(Field{.name = "lower_case",
                .help = "word_piece: whether text loses its case and its accents, as in BERT "
                        "uncased",
                .kept_by_resume = true},
          lower_case);
    visit(Field{.name = "character_coverage",
                .help = "share of the text's characters that SentencePiece must be able to write",
                .minimum = 0.98,
                .maximum = 1,
                .kept_by_resume = true},
          character_coverage);
  }
};

std::optional<Violation> text_is_given(const TaskOptions& options);
std::optional<Violation> share_without_file(const TaskOptions& options);
std::optional<Violation> separator_separates(const TaskOptions& options);
std::optional<Violation> unused_by_text_tokenizer(const TaskOptions& options);

inline constexpr std::array text_rules{
    TaskRule{"`text` has a `task.train_text`.", text_is_given},
    TaskRule{"`task.validation_share` is for a text without `task.validation_text`, and "
             "`task.test_share` for one without `task.test_text`. Together they are less than 1, "
             "and one of the former is given.",
             share_without_file},
    TaskRule{"`task.separator` goes with `task.documents: separator`.", separator_separates},
    TaskRule{"In `text`, `task.character_coverage` is for the tokenizers `bpe` and `unigram`, "
             "`task.mask_words` for these, `byte_bpe` and `word_piece`, and `task.lower_case` for "
             "`word_piece`. `task.vocabulary` is not for `byte`, and 259 or more for `byte_bpe`. "
             "With `task.tokenizer_of` all but `task.mask_words` keep their "
             "defaults.",
             unused_by_text_tokenizer}};

}  // namespace tapehead
