// The rules of the task parallel_text: conditions on several of its options.
#pragma once

#include <array>
#include <optional>

#include "datasets/task_kind.hpp"

namespace tapehead {

std::optional<Violation> text_has_files(const TaskOptions& options);
std::optional<Violation> unused_by_tokenizer(const TaskOptions& options);

inline constexpr std::array parallel_text_rules{
    TaskRule{"`parallel_text` has training and validation text, each as two files or as one TSV.",
             text_has_files},
    TaskRule{"`task.normalization` and `task.character_coverage` are for the tokenizers `bpe` and "
             "`unigram`, `task.subword_dropout` for `bpe`, `task.lower_case` for `word_piece`. "
             "With another one they keep their "
             "defaults. `task.vocabulary` is not for `byte`, and 259 or more for `byte_bpe`.",
             unused_by_tokenizer}};

}  // namespace tapehead
