// Makes and checks all mutants, and writes docs/gradcheck-mutants.md, which counts them.
#pragma once

#include "tests/core/gradcheck/mutants/activation_mistakes.hpp"
#include "tests/core/gradcheck/mutants/attention_mistakes.hpp"
#include "tests/core/gradcheck/mutants/broken_contracts.hpp"
#include "tests/core/gradcheck/mutants/corruptions.hpp"
#include "tests/core/gradcheck/mutants/handing_in.hpp"
#include "tests/core/gradcheck/mutants/normalising_mistakes.hpp"
#include "tests/core/gradcheck/mutants/plain_mistakes.hpp"
#include "tests/core/gradcheck/mutants/subjects.hpp"
#include "tests/core/gradcheck/mutants/token_mistakes.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all;
  for (const auto& family :
       {product_mistakes(), arithmetic_mistakes(), reduce_mistakes(), piece_mistakes(),
        softmax_mistakes(), norm_mistakes(), activation_mistakes(), gated_mistakes(),
        dropout_mistakes(), table_mistakes(), loss_mistakes(), attention_mistakes(),
        pattern_mistakes()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

struct MutationGroup {
  std::string title;
  std::string about;
  bool each_input;  // planted once per input of an op, or once per op
  std::vector<Mutation> mutations;
};

inline std::vector<MutationGroup> mutation_groups() {
  return {
      {"Wrong numbers", "what arrives as the gradient of one input", true, corruptions()},
      {"Badly handed in", "how the right gradient of one input arrives, or does not", true,
       bad_hand_ins()},
      {"Broken contracts", "what an op does besides", false, broken_contracts()},
      {"Wrong at the edge",
       "right at the inputs that are given, but the first input's gradient is wrong elsewhere",
       false, broken_edges()},
  };
}

struct Tried {
  explicit Tried(Mutant planted) : mutant(std::move(planted)), outcome(outcome_of(mutant)) {}

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

// Plants the mutation in each op (for each input if `each_input`), where it makes a difference.
inline std::vector<Tried> tried(const Mutation& mutation, bool each_input,
                                const std::vector<Specimen>& specimens) {
  std::vector<Tried> all;
  for (const Specimen& specimen : specimens) {
    const std::size_t inputs = each_input ? specimen.inputs.size() : 1;
    for (std::size_t input = 0; input < inputs; ++input) {
      if (const auto function = mutation.plant(specimen, input)) {
        all.emplace_back(Mutant{about(specimen.subject, {input}),
                                mutation.what,
                                {input},
                                mutation.expected,
                                *function,
                                specimen.inputs});
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
      study.push_back({group.title, mutation.what, describe(mutation.expected),
                       tried(mutation, group.each_input, specimens)});
    }
  }
  const auto first = std::ssize(study);
  for (const Mistake& mistake : all_mistakes()) {
    Mutant mutant = mutant_of(mistake, specimens[places.at(mistake.op)]);
    const std::string expected = describe(mutant.expected);
    auto line =
        std::ranges::find(study.begin() + first, study.end(), expected, &StudyLine::expected);
    if (line == study.end()) {
      const std::string example = fmt::format("such as, in {}: {}", mistake.op, mistake.what);
      study.push_back({"Mistakes of one op", example, expected, {}});
      line = study.end() - 1;
    }
    line->mutants.emplace_back(std::move(mutant));
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
    text += fmt::format("{}{}: {}: expected {}, found {}", before, tried.mutant.about,
                        tried.mutant.mistake, describe(tried.mutant.expected), tried.outcome.found);
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
