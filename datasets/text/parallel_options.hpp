// The options of the task parallel_text, their rules, the aligned lines in the files of each split,
// and the tokenizers that are made from them.
#pragma once

#include "datasets/text/text_file.hpp"
#include "datasets/text/tokenizer_options.hpp"

namespace tapehead {

// Aligned lines of text, plain or gzipped. Relative paths begin at the working directory in which a
// run starts; the run remembers where its files are. Training, validation and test each have a
// source file and a target file, or a TSV (source, tab, target). Entry i of each list `further_...`
// belongs to further test split i. Files are listed split by split, then types and further splits.
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

  LongestSide longest() const { return {max_length}; }
  bool has_test() const { return !test_source.empty() || !test_tsv.empty(); }

  void fields(const auto& row) {
    row(train_source, file_named("train_source"),
        "file of source sentences to train on, one a line");
    row(train_target, file_named("train_target"),
        "file of train_source's translations, line by line");
    row(validation_source, file_named("validation_source", 2),
        "file of source sentences for validation");
    row(validation_target, file_named("validation_target", 2),
        "file of validation_source's translations");
    row(test_source, file_named("test_source", 3),
        "file of source sentences for the final test; empty: no test split");
    row(test_target, file_named("test_target", 3), "file of test_source's translations");
    row(train_tsv, file_named("train_tsv"),
        "instead of two files: source, tab, target on each line");
    row(validation_tsv, file_named("validation_tsv", 2),
        "instead of two files: source, tab, target on each line");
    row(test_tsv, file_named("test_tsv", 3),
        "instead of two files: source, tab, target on each line");
    row(header, named("header"),
        "whether a TSV begins with a line that names its columns; auto: the first line does if "
        "its fields are names such as source and target, or en and de");
    row(validation_types, file_named("validation_types", 4),
        "file with the type of each validation pair, one a line; evaluations then count right "
        "sequences by type too; empty: none");
    row(test_types, file_named("test_types", 4),
        "file with the type of each test pair; empty: none");
    row(further_tests, named("further_tests"),
        "names of further test splits, which are evaluated with `test`");
    row(further_sources, file_named("further_sources", 4),
        "files of source sentences, one for each further test split");
    row(further_targets, file_named("further_targets", 4),
        "files of further_sources' translations");
    row(further_types, file_named("further_types", 4),
        "files with types of the further test pairs; \"\": a split without types; []: none");
    row(type_groups, named("type_groups"),
        "groups of types to count together, each as its name, an equals sign and its types: "
        "hard = recursion passive");
    fields_of_kind(row);
    row(joint_vocabulary, kept_by_resume(named("joint_vocabulary")),
        "one tokenizer for both languages; the target side only has the pieces that training "
        "targets need");
    fields_of_entries(row, &normalization);
    row(subword_dropout,
        only_with(own_tokenizer, When::with("task.tokenizer", {"bpe"}),
                  named("subword_dropout", 0, 0.9)),
        "probability that a merge of bpe is left out in the source of a training pair, drawn "
        "again in each epoch; a source that would be longer than max_length stays as it is");
    row(max_length, named("max_length", 1, 100000, "tokens"),
        "training pairs with a longer side are dropped, and counted");
  }
};

// Parses "name = type type". Throws ConfigError, without the option's name, if that is wrong.
TypeGroup parse_type_group(std::string_view text);

extern const std::array<TaskRule, 4> parallel_text_rules;

// From one file. Throws what read_tab_separated throws, and DataError with file and line if a line
// does not have exactly one tab.
AlignedText read_pairs(const fs::path& file, HeaderLine header = HeaderLine::automatic);

// The files of all splits, in their order.
std::vector<SplitFiles> split_files(const ParallelTextOptions& options);

// Throws IoError with the option of a missing file, what the readers throw, and DataError with file
// and line if a type is empty or the numbers of types and pairs differ.
SplitText read_split(const SplitFiles& files);

// The groups of task.type_groups. Throws DataError for a type that no example of these splits has,
// and for a group with the name of a type.
std::vector<TypeGroup> type_groups(const std::vector<std::string>& option,
                                   const std::vector<Split>& splits);

// Loads the tokenizers of the run `tokenizer_of`, if it is set. Then throws IoError if it is not a
// run, and DataError if it contradicts `joint_vocabulary`. Otherwise makes tokenizers from the
// training pairs, without pairs that will be dropped for their length or an empty side. Logs
// characters that subwords lose if `character_coverage` is below 1, with their first places. Throws
// DataError with file and remedy if a tokenizer cannot be made, if no pair is left, or if subwords
// lose a character and `character_coverage` is 1.
Tokenizers make_parallel_tokenizers(const AlignedText& train, const ParallelTextOptions& options);

DataError no_training_pairs(const ParallelTextOptions& options, Index pairs);

}  // namespace tapehead
