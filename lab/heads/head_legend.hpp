// What the columns of the heads' tables mean, for the terminal and for pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/heads/head_figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct HeadTerm {
  std::string column;  // in the tables of the terminal; empty: in none
  std::string key;     // a figure in the JSON of a head, "weight_on.previous"; empty: in no page
  std::string meaning;
  std::string page_name{};  // where the page has another name for the column
  std::string json{};       // where the figure is in JSON
  std::string sweep{};      // in sweeps
  bool share = false;       // from 0 to 1
};

// The columns of one table.
struct LegendPart {
  std::string title;
  std::vector<HeadTerm> terms;
};

std::vector<LegendPart> head_legend(const std::vector<HeadFigureRow>& rows = head_figure_rows());

// "previous token: ...", in the order in which they are tried.
std::vector<std::pair<std::string, std::string>> role_legend(const RoleThresholds& thresholds = {});

// All of it as text.
std::string legend_text(const std::vector<HeadFigureRow>& rows = head_figure_rows());

// All of it as a page, docs/head-figures.md.
std::string legend_reference();

// {"columns": [{"key", "name", "meaning", "share"}], "roles": [{"role", "meaning"}]}: what pages
// show.
nlohmann::ordered_json legend_json(const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
