// The table of all mutants as docs/gradcheck-mutants.md shows it.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/core/gradcheck/mutants/study.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline std::string input_names(const Mutant& mutant) {
  std::string names;
  for (const OpSubject& subject : all_subjects()) {
    for (const std::size_t k : mutant.inputs) {
      if (subject.name == mutant.op) {
        names += (names.empty() ? "" : ", ") + subject.inputs[k].name;
      }
    }
  }
  return names;
}

inline std::string cell_text(const Outcome& outcome) {
  return outcome.named ? "✓" : outcome.found + " ✗";
}

inline std::string group_text(const StudyGroup& study) {
  std::string text = fmt::format(
      "\n## {}\n\n{}\n\n| column | what is planted | expected |\n"
      "|---|---|---|\n",
      study.group.title, study.group.about);
  std::string heads = study.group.each_input ? "\n| op: input |" : "\n| op |";
  std::string rule = "|---|";
  for (const Mutation& mutation : study.group.mutations) {
    text += fmt::format("| {} | {} | {} |\n", mutation.head, mutation.what,
                        describe(mutation.expected));
    heads += fmt::format(" {} |", mutation.head);
    rule += ":-:|";
  }
  text += heads + "\n" + rule + "\n";
  for (const StudyRow& row : study.rows) {
    text += fmt::format("| {} |", row.label);
    for (const auto& cell : row.cells) {
      text += fmt::format(" {} |", cell ? cell_text(cell->outcome) : "");
    }
    text += "\n";
  }
  return text;
}

inline std::string mistakes_text(const Study& study) {
  std::string text =
      "\n## Mistakes of one op\n\nWrong derivations, and slips in writing them down.\n\n"
      "| op | gradient of | mistake | expected | |\n|---|---|---|---|:-:|\n";
  for (const Tried& tried : study.mistakes) {
    const Mutant& mutant = tried.mutant;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", mutant.op, input_names(mutant),
                        mutant.mistake, describe(mutant.expected), cell_text(tried.outcome));
  }
  return text;
}

// What goes before the tables.
inline std::string introduction(const Totals& totals) {
  return fmt::format(
      R"(# Mutants of the ops

Does the gradient checker find what is wrong with a backward pass? Here every op of ours is broken on purpose, in every
way that fits it, and the checker is asked what is the matter. Such a broken op is a mutant: the op's own values, with a
mistake in its gradients, in how it hands them in, or in what it does besides. What the checker should say, a verdict
and for a wrong gradient also its kind, is written down with the mutant, from what is planted.

| | |
|---|---|
| mutants | {} |
| caught | {} |
| with the right verdict, kind and input | {} ({:.2f} %) |
| correct ops that were flagged, of {} with {} seeds each | 0 |

In the tables ✓ means: caught, with the verdict and kind that are expected, and about the input that it was planted in.
Where something else is found it stands there, with ✗. An empty cell: the mistake makes no difference there, as with
rows exchanged where all rows are alike. Dropout and the inputs come from seed {}; correct ops are checked with new
inputs, a new cotangent and new dropout for each seed, by the tests named CorrectOp.

A test prints this page from what the checker says today, and fails where the two differ. CPUs without AVX-512 round
otherwise, which decides up to two lines in a hundred. To print it again:

    TAPEHEAD_PRINT_TABLE=docs/gradcheck-mutants.md ./dev test -R GradcheckMutants
)",
      totals.mutants, totals.caught, totals.named,
      100 * static_cast<double>(totals.named) / static_cast<double>(totals.mutants),
      all_subjects().size(), seeds_without_alarm, mutant_seed);
}

inline std::string document_of(const Study& study) {
  std::string text = introduction(totals_of(study));
  for (const StudyGroup& group : study.groups) {
    text += group_text(group);
  }
  return text + mistakes_text(study);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
