// What the columns of the heads' tables mean, for the terminal and for pages.
#pragma once

#include "core/files/json_text.hpp"
#include "lab/heads/head_figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// "previous token: ...", in the order in which they are tried.
std::vector<std::pair<std::string, std::string>> role_legend();

// The columns and the roles as text.
std::string legend_text(const std::vector<HeadFigureRow>& rows = head_figure_rows());

// The same as a page, docs/head-figures.md.
std::string legend_reference();

// For pages: {"columns": [{"key", "name", "meaning", "share"}], "roles": [{"role", "meaning"}]}.
Json legend_json(const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
