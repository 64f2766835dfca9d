// The options of the task labelled_text, the lines of its files (texts with their classes), and the
// sequences that a classifier reads.
#pragma once

#include "datasets/text/text_file.hpp"
#include "datasets/text/tokenizer_options.hpp"

namespace tapehead {

// Texts with classes, from a TSV (text, tab, class; or text, tab, second text, tab, class), or from
// a file of texts and a file of classes, line by line. Plain or gzipped.
struct LabelledTextOptions : TokenizerOptions<TokenizerKind::word, 10000> {
  std::string train_tsv{};
  std::string validation_tsv{};
  std::string test_tsv{};
  std::string train_text{};
  std::string train_labels{};
  std::string validation_text{};
  std::string validation_labels{};
  std::string test_text{};
  std::string test_labels{};
  HeaderLine header = HeaderLine::automatic;
  Index texts = 1;
  double train_share = 1;
  double validation_share = 0.1;
  Normalization normalization = Normalization::identity;
  double token_dropout = 0;
  Index max_length = 256;

  LongestSide longest() const { return {max_length + texts - 1}; }
  bool has_test() const { return !test_text.empty() || !test_tsv.empty(); }

  void fields(const auto& row) {
    row(train_tsv, file_named("train_tsv"), "file to train on: text, tab, class on each line");
    row(validation_tsv, file_named("validation_tsv"),
        "file for validation; empty: validation_share of the training examples");
    row(test_tsv, file_named("test_tsv"), "file for the final test; empty: no test split");
    row(train_text, file_named("train_text"),
        "instead of train_tsv: file of texts, one a line, with train_labels");
    row(train_labels, file_named("train_labels"), "file of train_text's classes, line by line");
    row(validation_text, file_named("validation_text"), "instead of validation_tsv: file of texts");
    row(validation_labels, file_named("validation_labels"), "file of validation_text's classes");
    row(test_text, file_named("test_text"), "instead of test_tsv: file of texts");
    row(test_labels, file_named("test_labels"), "file of test_text's classes");
    row(header, named("header"),
        "whether a TSV begins with a line that names its columns; auto: the first line does if its "
        "fields are names such as sentence and label, or if its class is on no other line, while "
        "other lines share classes");
    row(texts, named("texts", 1, 2),
        "texts of an example: one, or two; a tab separates them in the file, an end mark in the "
        "model; tokens of the second have type 1 (model.token_types)");
    row(train_share, above(named("train_share", 0, 1)),
        "part of the training examples that is used, drawn by the seed");
    row(validation_share,
        only_with(When::without("task.validation_tsv"), When::without("task.validation_text"),
                  above(named("validation_share", 0, 0.9))),
        "part of the training examples to validate on, drawn by the seed; an example of each "
        "class stays for training");
    fields_of_kind(row);
    fields_of_entries(row, &normalization);
    row(token_dropout, named("token_dropout", 0, 0.9),
        "probability that a token of a training text is read as unknown, drawn again in each "
        "epoch (Iyyer et al. 2015, section 3.2)");
    row(max_length, named("max_length", 1, 100000, "tokens"),
        "longer texts are cut at the end (of two, the longer text), and counted");
  }
};

// The files of training, validation and test.
std::array<SplitFiles, 3> files_of(const LabelledTextOptions& options);

std::vector<std::string> texts_of(const std::string& line, Index texts);

// Training, validation and, if given, test: texts, or two texts with a tab between them; and their
// classes, without blanks and tabs around them. Throws IoError with the option of a missing file;
// DataError with file and line for a wrong number of columns or an empty label; DataError if no
// example is left for training or validation; and what read_aligned_files and read_tab_separated
// throw.
std::vector<SplitText> labelled_splits(const LabelledTextOptions& options, std::uint64_t seed);

struct ClassifiedText {
  std::vector<TokenId> tokens;  // with an end mark between two texts
  Index first_text = 0;         // number of tokens of the first text
  bool cut = false;
  TokenId label = -1;  // its class; -1: unknown
};

// `line`: one text, or two with a tab between them. While they have more than `max_length` tokens,
// without the mark, the longer text loses its last token, as in BERT's code.
ClassifiedText classified_text(const Tokenizer& tokenizer, const std::string& line, Index texts,
                               Index max_length);

// With InputRows::source, the input is begin mark, text, end mark. The row of the begin mark has
// the class, and a second text has type 1 (Devlin et al. 2019, section 3). Otherwise a begin mark
// follows the text, and the class follows the begin mark.
std::shared_ptr<const Source> class_source(std::vector<ClassifiedText> texts, const Layout& layout);

}  // namespace tapehead
