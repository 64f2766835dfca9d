// The options of the task text, and what follows from them: the files and shares of the splits, the
// tokenizer, and the tokens in front of a prompt.
#pragma once

#include "datasets/text/documents.hpp"
#include "datasets/text/tokenizer_options.hpp"

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

  LongestSide longest() const { return {context, "task.context"}; }
  bool has_test() const { return !test_text.empty() || test_share > 0; }

  void fields(const auto& row) {
    row(train_text, file_named("train_text"), "file of text to train on, or several: docs/*.md");
    row(validation_text, file_named("validation_text"),
        "file, or files, for validation; empty: validation_share of train_text");
    row(test_text, file_named("test_text"),
        "file, or files, for the final test; empty: test_share of train_text");
    row(validation_share,
        only_with(When::without("task.validation_text"), named("validation_share", 0, 0.9)),
        "instead of validation_text: part of train_text, before the part for testing");
    row(test_share, only_with(When::without("task.test_text"), named("test_share", 0, 0.9)),
        "instead of test_text: part of train_text, at its end; 0: no test split");
    row(documents, named("documents"),
        "where a document ends: with its file, with each line, at blank lines, or at lines that "
        "are the separator");
    row(separator, only_with(When::with("task.documents", {"separator"}), named("separator")),
        "the line between two documents");
    row(stream, named("stream"),
        "true: a window may continue past a document's end mark into the next document; false: a "
        "window has tokens of one document, which begins with a begin mark");
    row(begin_mark, named("begin_mark"),
        "without stream: whether a document begins with a begin mark; false: nothing stands in "
        "front of it, and its first token is not predicted");
    row(context, named("context", 1, 1048576, "tokens"),
        "the longest window: tokens that are read, and predicted, together");
    row(mask_share,
        only_with(When::with("model.family", {"encoder"}), above(named("mask_share", 0, 1))),
        "part of each window's tokens that is masked, at least one, and drawn again in each "
        "epoch (Devlin et al. 2019)");
    row(mask_words,
        only_with(When::with("model.family", {"encoder"}),
                  When::with("task.tokenizer", {"bpe", "unigram", "byte_bpe", "word_piece"}),
                  named("mask_words")),
        "whether whole words are masked instead of single tokens");
    fields_of_kind(row);
    fields_of_entries(row);
  }
};

// The files of a split of a running text, and the share of these files that the split has. `bytes`:
// of the training text, once a split has needed them. Throws IoError that names the option if there
// is no such file.
DocumentFiles files_of_split(const TextOptions& options, std::string_view split,
                             std::optional<double>& bytes);

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
