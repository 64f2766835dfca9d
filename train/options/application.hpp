// The predictions of a trained model, and the command of the program for them.
#pragma once

#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"

namespace tapehead {

enum class Purpose { tokens, classes, token_labels };

// How models of one family use examples of one kind.
struct Use {
  std::string_view command{};  // of the program, for these models
  Purpose gives = Purpose::tokens;
  bool writes = false;   // token by token; otherwise the model gives labels in one pass
  bool windows = false;  // the examples are parts of a running text
  bool mask = false;     // the input vocabulary has a mask for tokens to predict
  // The marks around a user's text. A decoder of running text uses the task's options instead.
  AddedMarks marks = AddedMarks::none;
  // An input has at most `sides` times the longest source or target, and `marks_beside` marks.
  Index sides = 1;
  Index marks_beside = 1;
  std::string_view longest = "{} tokens and a mark";
  std::string_view refused{};  // why the family cannot use the examples; empty: it can

  constexpr bool gives_entries() const { return gives != Purpose::classes; }  // vocabulary entries
  constexpr bool continues() const { return writes && windows; }              // a running text
};

using Uses = std::array<Use, families.size()>;  // a column for each family

inline constexpr Uses uses_of_pairs{
    {{.command = "translate", .writes = true, .marks = AddedMarks::end},
     {.command = "translate", .writes = true, .marks = AddedMarks::begin_after, .sides = 2},
     {.command = "translate", .gives = Purpose::token_labels}}};

// A row for each kind of examples, and a column for each family: encoder_decoder, decoder, encoder.
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
       .refused = "a classifier is an encoder or a decoder, not both (allowed: encoder, decoder)"},
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
// some tokens, so it has no metrics of a whole text.
bool is_measured(const MetricKind& kind, const Config& config);

// The most rows that a model reads together: the context of a language model, else the number of
// its positions.
Index context_of(const Config& config);

// Throws ConfigError that names the right command for the run, unless `command` is right. `run`:
// the run's directory.
void expect_used_with(const Config& config, const std::string& run, std::string_view command);

// Throws ConfigError for a model that cannot write token by token.
void expect_writes(const Config& config, const std::string& run);

// Tokens that no model writes, however likely they are: the unknown mark, which stands for no
// readable text, and the begin mark. `one_document`: a language model was trained on one document.
// Then the end mark is included, because the model has hardly learnt it. The mask is no label of
// any model, so it needs no entry.
std::vector<TokenId> never_written(bool one_document);

}  // namespace tapehead
