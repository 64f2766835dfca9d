// The options of the task text, and what follows from them: the files and shares of the splits, the
// tokenizer, and the tokens in front of a prompt.
#pragma once

#include "core/fields.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/text/tokenizer_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Running text, plain or gzipped. A run needs the files only at its start, and keeps the tokens.
struct TextOptions : TokenizerOptions<TokenizerKind::bpe, 4096> {
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

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"train_text", "file of text to train on, or several: docs/*.md"}, train_text);
    visit(Field{"validation_text",
                "file, or files, for validation; empty: validation_share of train_text"},
          validation_text);
    visit(Field{"test_text", "file, or files, for the final test; empty: test_share of train_text"},
          test_text);
    visit(Field{.name = "validation_share",
                .help = "part of train_text, before that of test_share, to validate on instead",
                .minimum = 0,
                .maximum = 0.9,
                .when = only(When::without("task.validation_text"))},
          validation_share);
    visit(Field{.name = "test_share",
                .help = "part of train_text, at its end, to test on instead; 0: no test split",
                .minimum = 0,
                .maximum = 0.9,
                .when = only(When::without("task.test_text"))},
          test_share);
    visit(Field{"documents",
                "where a document ends: with its file, with each line, at blank lines, or at lines "
                "that are the separator"},
          documents);
    visit(Field{.name = "separator",
                .help = "the line between two documents",
                .when = only(When::with("task.documents", {"separator"}))},
          separator);
    visit(Field{"stream",
                "true: a window may go on from one document to the next, past its end mark; false: "
                "the tokens of a window are of one document, which begins with a begin mark"},
          stream);
    visit(Field{"begin_mark",
                "without stream: whether a document begins with a begin mark; false: nothing "
                "stands in front of it, and its first token is not predicted"},
          begin_mark);
    visit(Field{"context", "the longest window: tokens that are read, and predicted, together", 1,
                1048576, "tokens"},
          context);
    visit(Field{.name = "mask_share",
                .help = "part of each window's tokens that is masked, at least one, and "
                        "drawn again in each epoch (Devlin et al. 2019)",
                .minimum = 0,
                .maximum = 1,
                .exclusive_minimum = true,
                .when = only(When::with("model.family", {"encoder"}))},
          mask_share);
    visit(Field{.name = "mask_words",
                .help = "whether whole words are masked instead of single tokens",
                .when = only(
                    When::with("model.family", {"encoder"}),
                    When::with("task.tokenizer", {"bpe", "unigram", "byte_bpe", "word_piece"}))},
          mask_words);
    fields_of_kind(visit);
    fields_of_entries(visit);
    fields_of_characters(visit);
  }
};

// Finds the files, and the share of them, that each split of a running text has.
class TextSplits {
 public:
  // `options` must outlive this object.
  explicit TextSplits(const TextOptions& options) : options_(options) {}

  // Throws IoError that names the option if there is no such file.
  DocumentFiles of(std::string_view split);

 private:
  TextShare share_of(std::string_view split, const DocumentFiles& all);

  const TextOptions& options_;
  std::optional<double> bytes_;  // of the training text, once it has been read
};

// Loads the tokenizer of the run `tokenizer_of` or, without one, makes a tokenizer from the
// training text. Line ends between two lines of a document count as words and as characters.
// Subwords are trained on at most 64 MB of lines, evenly chosen. Throws DataError with the file,
// and IoError if there is no such run.
std::shared_ptr<const Tokenizer> make_text_tokenizer(const DocumentFiles& files,
                                                     const TextOptions& options);

// The tokens that a language model reads in front of a text.
class TextFront {
 public:
  // `one_document`: whether the training text is a single document.
  TextFront(const TextOptions& options, const Tokenizer& tokenizer, bool one_document);

  // The tokens of a text to continue, after the mark before a document, if the training text has
  // several documents with marks. For an empty text: that mark; without it, a line end if the
  // training text is one document with line ends, otherwise a begin mark.
  std::vector<TokenId> prompt(std::vector<TokenId> text) const;
  // The tokens of a whole text, after the tokens of an empty prompt. If `begin_mark` is false,
  // nothing precedes the text.
  std::vector<TokenId> whole(const std::vector<TokenId>& text) const;

  std::string_view in_words() const;

 private:
  std::vector<TokenId> mark_;  // before a document
  std::vector<TokenId> empty_;
  bool has_marks_;
};

}  // namespace tapehead
