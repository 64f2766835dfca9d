#include "lab/heads/head_legend.hpp"

#include <fmt/format.h>

#include "lab/heads/relation_report.hpp"
#include "lab/removal/removal_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The columns of one table of heads.
LegendPart part_of(std::string title, HeadTable table, const std::vector<HeadFigureRow>& rows) {
  LegendPart part{.title = std::move(title), .terms = {}};
  if (table == HeadTable::weights) {
    part.terms = {{"attention", "", "the attention that the heads belong to"},
                  {"head", "", "the head's number in its attention, from 0"}};
  }
  for (const HeadFigureRow& row : rows) {
    if (row.table == table && !row.column.empty()) {
      part.terms.push_back({row.printed ? row.column : "", row.key, row.help, row.column});
    }
  }
  return part;
}

template <class Of>
void add_terms(LegendPart& part, const std::vector<FigureRow<Of>>& rows) {
  for (const FigureRow<Of>& row : rows) {
    if (!row.help.empty()) {
      part.terms.push_back({row.column, "", row.help});
    }
  }
}

LegendPart relations_part() {
  LegendPart part{.title = "relations that the task knows", .terms = {}};
  add_terms(part, relation_rows());
  return part;
}

LegendPart importance_part() {
  LegendPart part{.title = "which heads matter (--importance, --prune, gates)",
                  .terms = {{"", "loss_without",
                             "how much the mean loss of a target token grows with the head gone",
                             "loss without"}}};
  add_terms(part, importance_rows());
  part.terms.back().key = "importance";
  add_terms(part, pruning_rows());
  add_terms(part, gate_rows());
  return part;
}

}  // namespace

std::vector<LegendPart> head_legend(const std::vector<HeadFigureRow>& rows) {
  return {part_of("weights: means over the queries, the positions from which a head looks",
                  HeadTable::weights, rows),
          part_of("weight matrices", HeadTable::matrices, rows),
          part_of("pairs of heads", HeadTable::pairs, rows), relations_part(), importance_part()};
}

std::vector<std::pair<std::string, std::string>> role_legend(const RoleThresholds& least) {
  const std::string offset =
      fmt::format("for {} of the queries that have a key there", format_share(least.positional));
  const auto lifted = [](double share, const char* where, double lift) {
    return fmt::format("{} of the weight {}, and {:.0f} times as much as an even spread has there",
                       format_share(share), where, lift);
  };
  return {
      {"previous token", "the largest weight is on the position before " + offset},
      {"next token", "the largest weight is on the position after " + offset},
      {"positional", "the largest weight is at another offset " + offset},
      {"induction", lifted(least.induction, "on keys behind earlier occurrences of the same token",
                           least.induction_lift)},
      {"duplicate token",
       lifted(least.duplicate, "on earlier occurrences of the same token", least.duplicate_lift)},
      {"rare token", lifted(least.rare, "on the rarest key", least.rare_lift)},
      {"first token", lifted(least.first, "on the first key", least.first_lift)},
      {"idle", format_share(least.idle) + " of the weight on the first and the last key together"},
      {"content",
       fmt::format("entropy at most {} of that of an even spread", format_share(least.content))},
  };
}

std::string legend_text(const std::vector<HeadFigureRow>& rows) {
  std::string text;
  for (const LegendPart& part : head_legend(rows)) {
    Table table({Align::left, Align::left});
    for (const HeadTerm& term : part.terms) {
      if (!term.column.empty()) {
        table.row({term.column, term.meaning});
      }
    }
    text += fmt::format("{}\n{}\n\n", part.title, table.text());
  }
  Table roles({Align::left, Align::left});
  for (const auto& [role, threshold] : role_legend()) {
    roles.row({role, threshold});
  }
  return text + fmt::format("roles: the first whose threshold is reached\n{}", roles.text());
}

nlohmann::ordered_json legend_json(const std::vector<HeadFigureRow>& rows) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const LegendPart& part : head_legend(rows)) {
    for (const HeadTerm& term : part.terms) {
      if (!term.key.empty()) {
        columns.push_back({{"key", term.key},
                           {"name", term.page_name.empty() ? term.column : term.page_name},
                           {"meaning", term.meaning}});
      }
    }
  }
  nlohmann::ordered_json roles = nlohmann::ordered_json::array();
  for (const auto& [role, threshold] : role_legend()) {
    roles.push_back({{"role", role}, {"meaning", threshold}});
  }
  return {{"columns", columns}, {"roles", roles}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
