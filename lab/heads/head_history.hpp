// The figures of a run's heads at each kept checkpoint, and since when heads have their roles.
#pragma once

#include "lab/heads/head_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct HeadMoment {
  Index step = 0;
  AttentionReports attentions;
};
using HeadHistory = std::vector<HeadMoment>;  // the earliest first

// Reads all step checkpoints of the run. Throws IoError for fewer than two, or an unusable one.
HeadHistory head_history(const fs::path& run, const Task& task, const Split& split,
                         Workers& workers, const OnProgress& progress = {},
                         const HeadFigureRows& rows = head_figure_rows());

// A head that has a role at the end, and the step since which it had this role at each checkpoint.
struct RoleSince {
  HeadName head;
  Role role = Role::none;
  Index step = 0;
};
std::vector<RoleSince> roles_since(const HeadHistory& history);

// A head follows a relation if its largest weight is on a related key in this share of the queries.
constexpr double follows = 0.8;

// The head that agrees most with a relation at the end, and the step since which it follows it.
struct RelationSince {
  std::string relation;
  HeadName head;
  double agreement = 0;  // at the end
  Index step = 0;
};
std::vector<RelationSince> relations_since(const HeadHistory& history);

std::string history_text(const HeadHistory& history);
// For each step and relation, the share of the queries in which the best head agrees; may be empty.
std::string history_table(const HeadHistory& history);
Json history_json(const HeadHistory& history);

}}  // namespace tapehead::TAPEHEAD_PRECISION
