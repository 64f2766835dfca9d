// Makes and checks all mutants, and writes docs/gradcheck-mutants.md, which counts them.
#pragma once

#include "tests/core/gradcheck/mutants/mutants.hpp"
#include "tests/core/gradcheck/mutants/subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Tried {
  Mutant mutant;
  Outcome outcome;
};

// The mutants of one mutation: a row of the document's table.
struct StudyLine {
  std::string group;
  std::string what;
  std::string expected;
  std::vector<Tried> mutants;
};

using Study = std::vector<StudyLine>;

inline Tried tried(Mutant mutant) {
  Outcome outcome = outcome_of(mutant);
  return {.mutant = std::move(mutant), .outcome = std::move(outcome)};
}

// Plants the mutation in each op (for each input if `each_input`), where it makes a difference.
inline std::vector<Tried> tried(const Mutation& mutation, bool each_input,
                                const std::vector<Specimen>& specimens) {
  std::vector<Tried> all;
  for (const Specimen& specimen : specimens) {
    const std::size_t inputs = each_input ? specimen.inputs.size() : 1;
    for (std::size_t input = 0; input < inputs; ++input) {
      if (auto function = mutation.plant(specimen, input)) {
        all.push_back(tried({.op = specimen.subject.name,
                             .mistake = mutation.what,
                             .inputs = {input},
                             .expected = mutation.expected,
                             .function = std::move(*function),
                             .at = specimen.inputs}));
      }
    }
  }
  return all;
}

inline Study run_study() {
  std::vector<Specimen> specimens;
  std::map<std::string, std::size_t> places;
  for (const OpSubject& subject : all_subjects()) {
    places[subject.name] = specimens.size();
    specimens.push_back(specimen_of(subject));
  }
  Study study;
  for (const MutationGroup& group : mutation_groups()) {
    for (const Mutation& mutation : group.mutations) {
      study.push_back({.group = group.title,
                       .what = mutation.what,
                       .expected = describe(mutation.expected),
                       .mutants = tried(mutation, group.each_input, specimens)});
    }
  }
  const auto first = std::ssize(study);
  for (const Mistake& mistake : all_mistakes()) {
    Mutant mutant = mutant_of(mistake, specimens[places.at(mistake.op)]);
    const std::string expected = describe(mutant.expected);
    auto line = std::find_if(study.begin() + first, study.end(),
                             [&](const StudyLine& other) { return other.expected == expected; });
    if (line == study.end()) {
      study.push_back({.group = "Mistakes of one op",
                       .what = fmt::format("such as, in {}: {}", mutant.op, mutant.mistake),
                       .expected = expected,
                       .mutants = {}});
      line = study.end() - 1;
    }
    line->mutants.push_back(tried(std::move(mutant)));
  }
  return study;
}

inline void for_each_tried(const Study& study, const std::function<void(const Tried&)>& action) {
  for (const StudyLine& line : study) {
    std::ranges::for_each(line.mutants, action);
  }
}

struct Totals {
  Index mutants = 0;
  Index caught = 0;
  Index named = 0;
};

inline Totals totals_of(const Study& study) {
  Totals totals;
  for_each_tried(study, [&totals](const Tried& tried) {
    totals.mutants += 1;
    totals.caught += tried.outcome.caught ? 1 : 0;
    totals.named += tried.outcome.named ? 1 : 0;
  });
  return totals;
}

// Lists the outcomes that satisfy `condition`, each after `before`, as "softmax (x): as for a
// cotangent of ones: expected ..., found ...".
inline std::string listing(const Study& study, const std::string& before,
                           const std::function<bool(const Outcome&)>& condition) {
  std::string text;
  for_each_tried(study, [&](const Tried& tried) {
    if (!condition(tried.outcome)) {
      return;
    }
    const Mutant& mutant = tried.mutant;
    std::string names;
    for (const OpSubject& subject : all_subjects()) {
      for (const std::size_t k : mutant.inputs) {
        if (subject.name == mutant.op) {
          names += (names.empty() ? "" : ", ") + subject.inputs[k].name;
        }
      }
    }
    text += fmt::format("{}{} ({}): {}: expected {}, found {}", before, mutant.op, names,
                        mutant.mistake, describe(mutant.expected), tried.outcome.found);
  });
  return text;
}

inline std::string document_of(const Study& study) {
  const Totals all = totals_of(study);
  std::string groups;
  for (const MutationGroup& group : mutation_groups()) {
    groups += fmt::format("| {} | {} |\n", group.title, group.about);
  }
  std::string text = fmt::format(
      R"(# Mutants of the ops

Does the gradient checker find what is wrong with a backward pass? Here every op is broken on purpose, in every way that
fits it, and the checker is asked what is wrong. Such a broken op is a mutant: the op's own values, with a mistake in
its gradients, in how it hands them in, or in what it does besides. What the checker should say, a verdict and for a
wrong gradient also its kind, is written down with the mutant, from what is planted.

| | |
|---|---|
| mutants | {} |
| caught | {} |
| with the right verdict, kind and input | {} ({:.2f} %) |
| correct ops that were flagged, of {} with {} seeds each | 0 |

The table counts the mutants of each kind of mistake. A mistake is planted in every op, and in every input of it, where
it makes a difference. `named` means: caught with the verdict and kind that are expected, and about the input in which
the mistake was planted. Dropout and the inputs come from seed {}; correct ops are checked with new inputs, a new
cotangent and new dropout for each seed, by the tests named CorrectOp. The mistakes are in
`tests/core/gradcheck/mutants/`, in five groups:

| group | |
|---|---|
{}| Mistakes of one op | wrong derivations, and slips in writing them down |

A test prints this page from what the checker says today, and fails where the two differ. CPUs without AVX-512 round
otherwise, which decides a few mutants. To print it again:

    TAPEHEAD_PRINT_TABLE=docs/gradcheck-mutants.md ./dev test -R GradcheckMutants

## By kind of mistake

| group | what is planted | expected | mutants | caught | named |
|---|---|---|--:|--:|--:|
)",
      all.mutants, all.caught, all.named,
      100 * static_cast<double>(all.named) / static_cast<double>(all.mutants),
      all_subjects().size(), seeds_without_alarm, mutant_seed, groups);
  for (const StudyLine& line : study) {
    const Totals totals = totals_of({line});
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", line.group, line.what, line.expected,
                        totals.mutants, totals.caught, totals.named);
  }
  return text + "\n## Named otherwise\n" +
         listing(study, "\n- ", [](const Outcome& outcome) { return !outcome.named; }) + "\n";
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
