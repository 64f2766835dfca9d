// The rules of the task parallel_text: conditions on several of its options.
#pragma once

#include <array>
#include <optional>

#include "datasets/task_kind.hpp"

namespace tapehead {

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
