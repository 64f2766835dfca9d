// The rules of the task labelled_text: conditions on several of its options.
#pragma once

#include <array>
#include <optional>

#include "datasets/task_kind.hpp"

namespace tapehead {

std::optional<Violation> labelled_text_is_given(const TaskOptions& options);
std::optional<Violation> unused_validation_share(const TaskOptions& options);
std::optional<Violation> unused_by_labelled_tokenizer(const TaskOptions& options);

inline constexpr std::array labelled_rules{
    TaskRule{"`labelled_text` has a training text, as a TSV or as two files; likewise for "
             "validation and test, if they are given. `task.header` is for TSVs.",
             labelled_text_is_given},
    TaskRule{"In `labelled_text`, `task.validation_share` is for data without a file for "
             "validation.",
             unused_validation_share},
    TaskRule{"In `labelled_text`, `task.normalization` and `task.character_coverage` are for the "
             "tokenizers `bpe` and `unigram`, and `task.lower_case` for `word_piece`. "
             "`task.vocabulary` is not for `byte`, and 259 or more "
             "for `byte_bpe`. With `task.tokenizer_of` all of them keep their defaults.",
             unused_by_labelled_tokenizer}};

}  // namespace tapehead
