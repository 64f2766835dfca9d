// What the heads of a run did at each checkpoint of its training that is kept, and since when they
// do what they do.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct HeadMoment {
  Index step = 0;
  std::vector<AttentionReport> attentions;
};
using HeadHistory = std::vector<HeadMoment>;  // the earliest first

// Watches the heads over the split at each step checkpoint of the run. Throws IoError if there are
// fewer than two, or if one cannot be used.
HeadHistory head_history(const std::filesystem::path& run, const Task& task, const Split& split,
                         Workers& workers,
                         const std::function<void(Index done, Index of)>& progress = {},
                         const std::vector<HeadFigureRow>& rows = head_figure_rows());

// Of a head with a role at the end: the first step from which on it had this role at every
// checkpoint.
struct RoleSince {
  HeadName head;
  Role role = Role::none;
  Index step = 0;
};
std::vector<RoleSince> roles_since(const HeadHistory& history);

// A head follows a relation if its largest weight is on a related key in this share of the queries.
constexpr double follows = 0.8;

// Of the head that agrees most with a relation at the end, and follows it: the first step from
// which on it followed it at every checkpoint.
struct RelationSince {
  std::string relation;
  HeadName head;
  double agreement = 0;  // at the end
  Index step = 0;
};
std::vector<RelationSince> relations_since(const HeadHistory& history);

std::string history_text(const HeadHistory& history);
// For each step the share of the queries in which the best head agrees with each relation. Empty
// where the task knows of no relations.
std::string history_table(const HeadHistory& history);
nlohmann::ordered_json history_json(const HeadHistory& history);

}}  // namespace tapehead::TAPEHEAD_PRECISION
