// The options of the task parallel_text, and the rules for them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/header_line.hpp"
#include "datasets/tokenizers/tokenizer_kind.hpp"

namespace tapehead {

// Aligned lines of text, plain or gzipped. Relative paths start at the working directory when a run
// starts; afterwards the run remembers where its files are. Either `train_source` and
// `train_target`, or `train_tsv` (source, tab, target); likewise for the others.
// Entry i of each list that begins with `further` is of one further test split.
struct ParallelTextOptions {
  std::string train_source{};
  std::string train_target{};
  std::string validation_source{};
  std::string validation_target{};
  std::string test_source{};
  std::string test_target{};
  std::string train_tsv{};
  std::string validation_tsv{};
  std::string test_tsv{};
  HeaderLine header = HeaderLine::automatic;
  std::string validation_types{};
  std::string test_types{};
  std::vector<std::string> further_tests{};
  std::vector<std::string> further_sources{};
  std::vector<std::string> further_targets{};
  std::vector<std::string> further_types{};
  std::vector<std::string> type_groups{};
  std::string tokenizer_of{};
  TokenizerKind tokenizer = TokenizerKind::bpe;
  bool joint_vocabulary = true;
  Index vocabulary = 10000;
  bool lower_case = false;
  Normalization normalization = Normalization::identity;
  double character_coverage = 1.0;
  double subword_dropout = 0;
  Index max_length = 100;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "train_source", .help = "file of source sentences to train on, one a line"},
          train_source);
    visit(Field{.name = "train_target", .help = "file of their translations, line by line"},
          train_target);
    visit(Field{.name = "validation_source", .help = "file of source sentences for validation"},
          validation_source);
    visit(Field{.name = "validation_target", .help = "file of their translations"},
          validation_target);
    visit(Field{.name = "test_source",
                .help = "file of source sentences for the final test; empty: no test split"},
          test_source);
    visit(Field{.name = "test_target", .help = "file of their translations"}, test_target);
    visit(Field{.name = "train_tsv",
                .help = "instead of two files: source, tab, target on each line"},
          train_tsv);
    visit(Field{.name = "validation_tsv",
                .help = "instead of two files: source, tab, target on each line"},
          validation_tsv);
    visit(
        Field{.name = "test_tsv", .help = "instead of two files: source, tab, target on each line"},
        test_tsv);
    visit(Field{.name = "header",
                .help = "whether a TSV begins with a line that names its columns; auto: the first "
                        "line does if its fields are names such as source and target"},
          header);
    visit(Field{.name = "validation_types",
                .help = "file with the type of each validation pair, one a line; evaluations then "
                        "count right sequences by type too; empty: none"},
          validation_types);
    visit(Field{.name = "test_types", .help = "file with the type of each test pair; empty: none"},
          test_types);
    visit(Field{.name = "further_tests",
                .help = "names of further test splits, which are evaluated with `test`"},
          further_tests);
    visit(Field{.name = "further_sources",
                .help = "their files of source sentences, one for each name"},
          further_sources);
    visit(Field{.name = "further_targets", .help = "files of their translations"}, further_targets);
    visit(Field{.name = "further_types",
                .help = "files with the types of their pairs, where \"\" is none; []: no types"},
          further_types);
    visit(Field{.name = "type_groups",
                .help = "groups of types to count together, each as its name, an equals sign and "
                        "its types: hard = recursion passive"},
          type_groups);
    visit(Field{.name = "tokenizer_of",
                .help = "run directory whose tokenizers are used, as for model.init_from; empty: "
                        "they are made from the training text",
                .kept_by_resume = true},
          tokenizer_of);
    visit(Field{.name = "tokenizer",
                .help = "words at white space, characters, bytes, or subwords trained on the "
                        "training text: SentencePiece (bpe, unigram), byte-level BPE as in GPT-2 "
                        "(byte_bpe) or WordPiece as in BERT (word_piece)",
                .kept_by_resume = true},
          tokenizer);
    visit(Field{.name = "joint_vocabulary",
                .help = "one tokenizer for both languages; the target side only has the pieces "
                        "that training targets need",
                .kept_by_resume = true},
          joint_vocabulary);
    visit(Field{.name = "vocabulary",
                .help = "entries of each vocabulary, with the three marks; for words and "
                        "characters an upper limit: the most frequent ones; also for word_piece "
                        "and byte_bpe, whose 256 bytes are entries; for bytes not used",
                .minimum = 4,
                .maximum = 1e6,
                .kept_by_resume = true},
          vocabulary);
    visit(Field{.name = "lower_case",
                .help = "word_piece: whether text loses its case and its accents, as in BERT "
                        "uncased",
                .kept_by_resume = true},
          lower_case);
    visit(Field{.name = "normalization",
                .help = "text normalisation by SentencePiece",
                .kept_by_resume = true},
          normalization);
    visit(Field{.name = "character_coverage",
                .help = "share of the text's characters that SentencePiece must be able to write",
                .minimum = 0.98,
                .maximum = 1,
                .kept_by_resume = true},
          character_coverage);
    visit(Field{.name = "subword_dropout",
                .help = "probability that a merge of bpe is left out in the source of a training "
                        "pair, drawn again in each epoch; a source that would be longer than "
                        "max_length stays as it is",
                .minimum = 0,
                .maximum = 0.9},
          subword_dropout);
    visit(Field{.name = "max_length",
                .help = "training pairs with a longer side are dropped, and counted",
                .minimum = 1,
                .maximum = 100000,
                .unit = "tokens"},
          max_length);
  }
};

std::optional<Violation> text_has_files(const TaskOptions& options);
std::optional<Violation> further_tests_are_whole(const TaskOptions& options);
std::optional<Violation> types_fit(const TaskOptions& options);
std::optional<Violation> unused_by_tokenizer(const TaskOptions& options);

inline constexpr std::array parallel_text_rules{
    TaskRule{"`parallel_text` has training and validation text, each as two files or as one TSV. "
             "`task.header` is for TSVs.",
             text_has_files},
    TaskRule{"The lists `task.further_sources`, `task.further_targets` and, if given, "
             "`task.further_types` have an entry for each name in `task.further_tests`. The names "
             "are new ones, and there is a test split.",
             further_tests_are_whole},
    TaskRule{"`task.test_types` goes with a test split, and `task.type_groups`, each of another "
             "name, with types of some split.",
             types_fit},
    TaskRule{"`task.normalization` and `task.character_coverage` are for the tokenizers `bpe` and "
             "`unigram`, `task.subword_dropout` for `bpe`, `task.lower_case` for `word_piece`. "
             "With another one they keep their "
             "defaults. `task.vocabulary` is not for `byte`, and 259 or more for `byte_bpe`.",
             unused_by_tokenizer}};

}  // namespace tapehead
