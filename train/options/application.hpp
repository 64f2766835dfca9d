// What a trained model is used for, and with which command of the program.
#pragma once

#include "datasets/layout.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// What a model gives for the rows that it reads.
enum class Purpose { tokens, classes, token_labels };

// What models of a family do with examples of a kind.
struct Use {
  std::string_view command{};  // of the program, with which they are asked
  Purpose gives = Purpose::tokens;
  bool writes = false;   // token by token; otherwise it gives labels in one pass
  bool windows = false;  // the examples are parts of a running text
  bool mask = false;     // one more entry of the input stands for tokens to predict
  // Around a text that a user gives. A decoder of running text has those of the task's options.
  AddedMarks marks = AddedMarks::none;
  // The input holds so many of the longest source or target, and so many marks.
  Index sides = 1;
  Index marks_beside = 1;
  std::string_view longest = "{} tokens and a mark";
  std::string_view refused{};  // why they do not go together; empty: they do

  constexpr bool gives_entries() const { return gives != Purpose::classes; }  // of a vocabulary
  constexpr bool continues() const { return writes && windows; }              // a text, by itself
};

using Uses = std::array<Use, families.size()>;  // a column for each family

inline constexpr Uses uses_of_pairs{
    {{.command = "translate", .writes = true, .marks = AddedMarks::end},
     {.command = "translate", .writes = true, .marks = AddedMarks::begin_after, .sides = 2},
     {.command = "translate", .gives = Purpose::token_labels}}};

// For each kind of examples a row, for each family a column: encoder_decoder, decoder, encoder.
inline constexpr std::array<Uses, 4> all_uses{{
    uses_of_pairs,
    {{{.command = "generate",
       .writes = true,
       .windows = true,
       .refused = "running text has no source and target (allowed: decoder, for a language model; "
                  "encoder, for a masked one)"},
      {.command = "generate",
       .writes = true,
       .windows = true,
       .marks_beside = 0,
       .longest = "windows of {} tokens"},
      {.command = "fill",
       .windows = true,
       .mask = true,
       .marks = AddedMarks::begin,
       .longest = "windows of {} tokens and their marks"}}},
    {{{.command = "classify",
       .gives = Purpose::classes,
       .refused = "a class is no target that a decoder could write (allowed: encoder, decoder)"},
      {.command = "classify",
       .gives = Purpose::classes,
       .marks = AddedMarks::begin_after,
       .longest = "texts of {} tokens and their marks"},
      {.command = "classify",
       .gives = Purpose::classes,
       .marks = AddedMarks::begin_and_end,
       .marks_beside = 2,
       .longest = "texts of {} tokens and their marks"}}},
    uses_of_pairs,
}};
static_assert(std::ranges::all_of(all_uses,
                                  [](const auto& row) {
                                    return std::ranges::none_of(row, &std::string_view::empty,
                                                                &Use::command);
                                  }),
              "all_uses has a row for each kind of examples, with a column for each family");

inline const Use& use_of(const Config& config) {
  const auto examples = static_cast<std::size_t>(config.task.kind().examples);
  return all_uses[examples][static_cast<std::size_t>(config.model.family)];
}

// How the batches of a model are laid out.
inline Layout layout_of(const ModelOptions& model) {
  using enum InputRows;
  const FamilyTraits& family = model.traits();
  return {.input = family.context        ? target
                   : family.one_sequence ? source_and_target
                                         : source,
          .full_prefix = model.prefix == SourceRows::full};
}

// Whether the metric is measured for this task and family. A masked language model predicts only
// some tokens of a text, so none of a whole text.
bool is_measured(const MetricKind& kind, const Config& config);

// The rows that a model reads together, at most: the context of a language model; else as many as
// it has positions.
Index context_of(const Config& config);

// Throws ConfigError that names the command for this run, unless it is this one. `run`: its
// directory.
void expect_used_with(const Config& config, const std::string& run, std::string_view command);

// Throws ConfigError for a model that cannot write token by token.
void expect_writes(const Config& config, const std::string& run);

// Tokens that no model writes, however likely they are: the unknown mark, which stands for no text
// that could be read again, and the begin mark. `one_document`: all that a language model was
// trained on; then its end mark, too, which it has hardly learnt. A mask is no label of any model.
std::vector<TokenId> never_written(bool one_document);

}  // namespace tapehead
