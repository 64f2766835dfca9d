// The options of the task parallel_text, their rules, and the aligned lines in the files of each
// split.
#pragma once

#include "core/fields.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/text/tokenizer_options.hpp"

namespace tapehead {

// Aligned lines of text, plain or gzipped. Relative paths begin at the working directory in which a
// run starts; the run remembers where its files are. Training, validation and test each have a
// source file and a target file, or a TSV (source, tab, target). Entry i of each list `further_...`
// belongs to further test split i.
struct ParallelTextOptions : TokenizerOptions<TokenizerKind::bpe, 10000> {
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
  bool joint_vocabulary = true;
  Normalization normalization = Normalization::identity;
  double subword_dropout = 0;
  Index max_length = 100;

  bool has_test() const { return !test_source.empty() || !test_tsv.empty(); }

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"train_source", "file of source sentences to train on, one a line"}, train_source);
    visit(Field{"train_target", "file of their translations, line by line"}, train_target);
    visit(Field{"validation_source", "file of source sentences for validation"}, validation_source);
    visit(Field{"validation_target", "file of their translations"}, validation_target);
    visit(Field{"test_source", "file of source sentences for the final test; empty: no test split"},
          test_source);
    visit(Field{"test_target", "file of their translations"}, test_target);
    visit(Field{"train_tsv", "instead of two files: source, tab, target on each line"}, train_tsv);
    visit(Field{"validation_tsv", "instead of two files: source, tab, target on each line"},
          validation_tsv);
    visit(Field{"test_tsv", "instead of two files: source, tab, target on each line"}, test_tsv);
    visit(Field{"header",
                "whether a TSV begins with a line that names its columns; auto: the first line "
                "does if its fields are names such as source and target"},
          header);
    visit(Field{"validation_types",
                "file with the type of each validation pair, one a line; evaluations then count "
                "right sequences by type too; empty: none"},
          validation_types);
    visit(Field{"test_types", "file with the type of each test pair; empty: none"}, test_types);
    visit(Field{"further_tests", "names of further test splits, which are evaluated with `test`"},
          further_tests);
    visit(Field{"further_sources", "their files of source sentences, one for each name"},
          further_sources);
    visit(Field{"further_targets", "files of their translations"}, further_targets);
    visit(Field{"further_types",
                "files with the types of their pairs, where \"\" is none; []: no types"},
          further_types);
    visit(Field{"type_groups",
                "groups of types to count together, each as its name, an equals sign and its "
                "types: hard = recursion passive"},
          type_groups);
    fields_of_kind(visit);
    visit(Field{.name = "joint_vocabulary",
                .help = "one tokenizer for both languages; the target side only has the pieces "
                        "that training targets need",
                .kept_by_resume = true},
          joint_vocabulary);
    fields_of_entries(visit);
    visit(Field{.name = "normalization",
                .help = "text normalisation by SentencePiece",
                .kept_by_resume = true,
                .when = only(own_tokenizer, sentencepiece)},
          normalization);
    fields_of_characters(visit);
    visit(Field{.name = "subword_dropout",
                .help = "probability that a merge of bpe is left out in the source of a training "
                        "pair, drawn again in each epoch; a source that would be longer than "
                        "max_length stays as it is",
                .minimum = 0,
                .maximum = 0.9,
                .when = only(own_tokenizer, When::with("task.tokenizer", {"bpe"}))},
          subword_dropout);
    visit(Field{"max_length", "training pairs with a longer side are dropped, and counted", 1,
                100000, "tokens"},
          max_length);
  }
};

// Parses "name = type type". Throws ConfigError, without the option's name, if that is wrong.
TypeGroup parse_type_group(std::string_view text);

std::optional<Violation> text_has_files(const TaskOptions& options);
std::optional<Violation> further_tests_are_whole(const TaskOptions& options);
std::optional<Violation> types_fit(const TaskOptions& options);

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
    entries_hold_bytes_rule<ParallelTextOptions>};

struct AlignedText {
  std::vector<std::string> source;
  std::vector<std::string> target;  // as many as sources
  Index first = 1;                  // line of the first pair in its file; 2 after a header
};

// From two files: line i of one is the translation of line i of the other. Throws what read_lines
// throws, and DataError with both line counts if they differ.
AlignedText read_aligned_files(const std::filesystem::path& source,
                               const std::filesystem::path& target);

// From one file: source, tab, target on each line. Throws what read_lines and has_header throw, and
// DataError with file and line if a line does not have exactly one tab.
AlignedText read_tab_separated(const std::filesystem::path& file,
                               HeaderLine header = HeaderLine::automatic);

struct SplitFiles {
  std::string name;
  std::string source;
  std::string target;
  std::string tab_separated{};  // instead of `source` and `target`
  std::string types{};
  HeaderLine header = HeaderLine::automatic;  // of `tab_separated`
  bool further = false;                       // its files are entries of the lists `further_...`

  const std::string& source_file() const { return tab_separated.empty() ? source : tab_separated; }
  const std::string& target_file() const { return tab_separated.empty() ? target : tab_separated; }
};

struct SplitText {
  SplitFiles files;
  AlignedText text;
  std::vector<std::string> types;  // one per pair, or none
};

// The files of all held-out splits, in the order of the splits.
std::vector<SplitFiles> held_out_files(const ParallelTextOptions& options);

// Throws IoError with the option of a missing file, what the readers throw, and DataError with file
// and line if a type is empty or the numbers of types and pairs differ.
SplitText read_split(const SplitFiles& files);

// The groups of task.type_groups. Throws DataError for a type that no example of these splits has,
// and for a group with the name of a type.
std::vector<TypeGroup> type_groups(const std::vector<std::string>& option,
                                   const std::vector<Split>& splits);

}  // namespace tapehead
