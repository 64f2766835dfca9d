// All mutants, made and checked: what the table is printed from.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/gradcheck/mutants/mutants.hpp"
#include "tests/core/gradcheck/mutants/subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Tried {
  Mutant mutant;
  Outcome outcome;
};

struct StudyRow {
  std::string label;
  std::vector<std::optional<Tried>> cells;  // for each mutation, where it makes a difference
};

struct StudyGroup {
  MutationGroup group;
  std::vector<StudyRow> rows;
};

struct Study {
  std::vector<StudyGroup> groups;
  std::vector<Tried> mistakes;
};

inline Tried tried(Mutant mutant) {
  Outcome outcome = outcome_of(mutant);
  return {.mutant = std::move(mutant), .outcome = std::move(outcome)};
}

inline std::optional<Tried> tried(const Mutation& mutation, const Specimen& specimen,
                                  std::size_t input) {
  auto function = mutation.plant(specimen, input);
  if (!function) {
    return {};
  }
  return tried(Mutant{.op = specimen.subject.name,
                      .mistake = mutation.what,
                      .inputs = {input},
                      .expected = mutation.expected,
                      .function = std::move(*function),
                      .at = specimen.inputs});
}

inline StudyGroup study_of(const MutationGroup& group, const std::vector<Specimen>& specimens) {
  StudyGroup study{.group = group, .rows = {}};
  for (const Specimen& specimen : specimens) {
    const std::size_t inputs = group.each_input ? specimen.inputs.size() : 1;
    for (std::size_t input = 0; input < inputs; ++input) {
      const std::string& name = specimen.subject.inputs[input].name;
      StudyRow row{.label = specimen.subject.name + (group.each_input ? ": " + name : ""),
                   .cells = {}};
      for (const Mutation& mutation : group.mutations) {
        row.cells.push_back(tried(mutation, specimen, input));
      }
      study.rows.push_back(std::move(row));
    }
  }
  return study;
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
    study.groups.push_back(study_of(group, specimens));
  }
  for (const Mistake& mistake : all_mistakes()) {
    study.mistakes.push_back(tried(mutant_of(mistake, specimens[places.at(mistake.op)])));
  }
  return study;
}

inline void for_each_tried(const Study& study, const std::function<void(const Tried&)>& action) {
  for (const StudyGroup& group : study.groups) {
    for (const StudyRow& row : group.rows) {
      for (const std::optional<Tried>& cell : row.cells) {
        if (cell) {
          action(*cell);
        }
      }
    }
  }
  std::ranges::for_each(study.mistakes, action);
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
