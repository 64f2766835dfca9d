// The chapters of a sweep: questions, each about a few settings of its axis, with answers made from
// the results.
#pragma once

#include "lab/sweep/results.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {

// The entry `chapters` of a sweep file. Throws ConfigError "file:line:column: ...".
std::vector<SweepChapter> read_chapters(const ConfigNode& node, std::string_view file);

// For sweep.json: [{"question", "look", "points", "figures", "maps", "deeper"}]. Places are not
// kept.
Json chapters_json(const std::vector<SweepChapter>& chapters);
std::vector<SweepChapter> chapters_of(const JsonObject& plan, const std::string& where);

// What the runs answer: for each figure, the mean at each point, and what differs from the first
// point. It says better or worse only of the metric, if three seeds or more show a significant
// difference.
std::string answer_of(const SweepChapter& chapter, const SweepPlan& plan,
                      const SweepResults& results);

// For a terminal: each question, its answer, and the command that goes deeper.
std::string chapters_text(const SweepPlan& plan, const SweepResults& results);

}  // namespace tapehead
