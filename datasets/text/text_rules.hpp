// The rules of the task text: conditions on several of its options.
#pragma once

#include <array>
#include <optional>

#include "datasets/task_kind.hpp"

namespace tapehead {

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
